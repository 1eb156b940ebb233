#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Soak: sessions of all kinds in a guest under full load for SOAK_MINUTES (60), with
# losses, readers that die, CPUs that come and go (prog_soak.c); each trace goes
# through both Go's as soon as it is there. Ends with figures; the first trace that
# is refused is kept, and ends it.
#
#	KVER=	the guest's kernel (6.1)
set -eu -o pipefail

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
# shellcheck source=SCRIPTDIR/../figures.sh
. "$here/../figures.sh"
kernel=${KVER:-6.1}
minutes=${SOAK_MINUTES:-60}
[[ $minutes =~ ^[1-9][0-9]*$ ]] || { echo "soak: SOAK_MINUTES wants a number" >&2; exit 2; }
out=$top/build/soak-$kernel
rm -rf "$out"
mkdir -p "$out/traces"

"$top/selftests/fetch/deps.sh"
make -s -C "$top" tools selftests modules KVER="$kernel"
for tag in 1.21 newest; do
	judges+=("$("$top/selftests/gocheck/build.sh" $tag)")
done

guest=
trap '[ -z "$guest" ] || kill "$guest" 2> /dev/null || true' EXIT
"$top/selftests/vm/vm.sh" --kernel "$kernel" --tcg single --out "$out/traces" \
	--timeout $((minutes * 60 + 600)) --quiet 600 --log "$out/console" -- \
	sh -c "insmod \$GOTRACE_KO && soak $((minutes * 60)) /out && rmmod gotrace" \
	> "$out/log" 2>&1 < /dev/null &
guest=$!

refused() {
	echo "soak: refused: $1" >&2
	exit 1
}

accepted=0
# check_traces: those that are there now.
check_traces() {
	local trace judge
	for trace in "$out/traces"/*.trace; do
		[ -e "$trace" ] || break
		for judge in "${judges[@]}"; do
			"$judge" "$trace" > "$out/judged" 2>&1 || { cat "$out/judged" >&2; refused "$trace"; }
		done
		accepted=$((accepted + 1))
		mv "$trace" "$out/last.trace"
	done
}
while kill -0 "$guest" 2> /dev/null; do
	check_traces
	sleep 0.2
done
rc=0
wait "$guest" || rc=$?
guest=
[ $rc = 0 ] || { tail -n 60 "$out/log" >&2; echo "soak: the guest: $rc" >&2; exit 1; }
check_traces
echo "# figure: traces accepted by both Go's $accepted" >> "$out/log"
grep '^# figure:' "$out/log" | tee "$out/figures"
figures_keep "$kernel" "make soak" < "$out/figures"

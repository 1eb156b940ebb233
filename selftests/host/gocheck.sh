#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The judges themselves: both gocheck accept the good files, and refuse each
# malformed one that the table in cases/malformed says they refuse.
set -u

top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
cases=$top/selftests/cases
n=0
ok() { n=$((n + 1)); echo "ok $n $1"; }
not_ok() { n=$((n + 1)); printf 'not ok %d %s\n# %s\n' $n "$1" "${2//$'\n'/$'\n'# }"; }

# expect accepted|refused NAME CHECKER ARGS...
expect() {
	local want=$1 name=$2 out got=accepted
	shift 2
	out=$("$@" 2>&1) || got=refused
	if [ "$got" = "$want" ]; then ok "$name"; else not_ok "$name: $got" "$out"; fi
}

for tag in 1.21 newest; do
	check=$("$top/selftests/gocheck/build.sh" "$tag") ||
		{ echo "Bail out! cannot build gocheck for $tag"; exit 1; }
	col=3
	[ $tag = 1.21 ] || col=4

	# Files without Gomaxprocs have no MMU to plot, and one without a
	# goroutine has no profile to make.
	mmu=/mmu
	expect accepted "$tag.good.a_min" "$check" -skip / "$cases/good/a_min.trace"
	expect accepted "$tag.good.b_oneg" "$check" -skip $mmu "$cases/good/b_oneg.trace"
	expect accepted "$tag.good.c_migrate" "$check" -skip $mmu "$cases/good/c_migrate.trace"
	expect accepted "$tag.good.full" "$check" "$cases/good/full.trace"

	while read -r name; do
		want=$(awk -F '|' -v n="$name" -v c=$col '
			$2 ~ "^ " n " $" { print $c ~ /refused/ ? "refused" : "accepted" }
		' "$cases/malformed/README.md")
		# 15 is padded, not broken, and in no table.
		expect "${want:-accepted}" "$tag.malformed.$name" \
			"$check" -skip $mmu "$cases/malformed/$name.trace"
	done < <(basename -s .trace "$cases"/malformed/*.trace)
done
echo "1..$n"

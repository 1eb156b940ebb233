#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Record one trace in which every event type is that the module writes. Leaves it
# as events.trace at the top of the tree, and what is in it as docs/events.md.
# Fails when a type is missing, or when one of Go's tools refuses the trace.
#
#	KVER=	the guest's kernel (6.1)
set -eu -o pipefail

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
kernel=${KVER:-6.1}
out=$top/build/events
rm -rf "$out"
mkdir -p "$out"

"$top/selftests/fetch/deps.sh"
make -s -C "$top" tools selftests modules KVER="$kernel"
"$top/selftests/vm/vm.sh" --kernel "$kernel" --smp 3 --mem 256M --tcg single --timeout 240 --out "$out" \
	--log "$out/console.log" -- \
	env PATH="$top/build/examples:$top/build/bin:$top/build/selftests:$PATH" \
	"$here/guest.sh" /out/events.trace

"$top/build/bin/gotrace" dump --records "$out/events.trace" |
	awk '{ n[$4]++ } END { for (event in n) print event, n[event] }' > "$out/counts"
awk -F'|' -v counts="$out/counts" '
BEGIN {
	while ((getline line < counts) > 0) {
		split(line, word, " ")
		n[word[1]] = word[2]
	}
	print "# Events"
	print ""
	print "What `make events` recorded: every type of event in the format of Go 1.21, when"
	print "gotrace writes it, what makes it happen in that recording, and how often it is there."
	print ""
	print "| | event | is written when | workload | seen |"
	print "|---:|---|---|---|---:|"
}
/^#/ { next }
{
	printf "| %d | %s | %s | %s | %s |\n", $1, $2, $3, $4, $4 == "" ? "" : n[$2] + 0
	# What has a workload must be there, what has none must not.
	if (($4 == "") != !n[$2]) {
		printf "events: %d %s\n", n[$2], $2 > "/dev/stderr"
		bad = 1
	}
}
END { exit bad }' "$here/table" > "$out/events.md"
"$("$top/selftests/gocheck/build.sh" 1.21)" "$out/events.trace"
# The newest cannot draw threads of a trace with GoInSyscall.
"$("$top/selftests/gocheck/build.sh" newest)" -skip '/jsontrace?view=thread' "$out/events.trace"
cp "$out/events.trace" "$top/events.trace"
cp "$out/events.md" "$top/docs/events.md"
echo "events.trace, docs/events.md"

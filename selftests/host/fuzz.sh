#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The fuzzer of what reads traces (../fuzz/): it finds nothing in traces that are cut
# anywhere, nor in ten seconds of its own (`make fuzz` is for longer), but does find what
# is planted. Needs no module and no guest; TAP on stdout. What it finds is
# left here: crash-*.
set -u

here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/../tap.sh
. "$here/../tap.sh"
cases=$here/../cases

fuzz=$("$here/../fuzz/build.sh") || exit 1

# found_nothing NAME LOG STATUS
found_nothing() {
	if [ "$3" = 0 ]; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "$(grep -E 'fuzz:|ERROR|runtime error|SUMMARY' "$2"; ls -d crash-* timeout-* leak-* oom-* 2> /dev/null)"
	fi
}

# All the beginnings of a trace, in one process.
mkdir cut
for t in "$cases"/good/*.trace; do
	name=$(basename "$t" .trace)
	for ((i = $(stat -c %s "$t"); i >= 0; i--)); do
		head -c "$i" "$t" > "cut/$name-$i"
	done
done
"$fuzz" -runs=0 cut > cut.log 2>&1
found_nothing "$(find cut -type f | wc -l) traces that are cut, read and repaired" cut.log $?
rm -rf cut

if CORPUS=$PWD/corpus FUZZ_PLANTED=1 "$here/../fuzz/run.sh" 60 > planted.log 2>&1; then
	tap_not_ok "what is planted is found" "$(tail -n 5 planted.log)"
else
	tap_run "what is planted is found" grep -q '^fuzz: planted' planted.log
fi
rm -rf crash-*

rm -rf corpus
CORPUS=$PWD/corpus "$here/../fuzz/run.sh" 10 > fuzz.log 2>&1
found_nothing "nothing is found in 10 s" fuzz.log $?
read=$(sed -n 's/^stat::number_of_executed_units: //p' fuzz.log)
tap_num "traces read" "$read" -gt 1000
echo "# figure: traces read by the fuzzer $read"
tap_num "of those, with something new" "$(sed -n 's/^#[0-9]*[[:space:]]*INITED cov: \([0-9]*\).*/\1/p' fuzz.log)" -gt 1000
rm -rf corpus

tap_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `make bench-read`: how fast, and in how much memory, traces are read: a trace of 1 GiB
# by gotrace report, and as much of the same as Go 1.21's parser can hold by both. Writes
# docs/reading.md.
#
#	SIZE=MIB	of the large trace (1024)
#	MEMORY=MIB	for Go's parser (three quarters of what is available)
set -eu -o pipefail

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$here")
out=$top/build/bench-read
size=${SIZE:-1024}
memory=${MEMORY:-$(awk '/^MemAvailable/ { print int($2 / 1024 * 3 / 4) }' /proc/meminfo)}

"$here/fetch/deps.sh"
rm -rf "$out"
mkdir -p "$out"
# The traces are large, whatever happens.
trap 'rm -f "$out"/*.trace "$out"/words' EXIT
make -s -C "$top" tools selftests > "$out/make.log" 2>&1 || { tail -n 40 "$out/make.log" >&2; exit 1; }
goprint=$("$here/goprint/build.sh")
go=$(cat "$("$here/fetch/fetch.sh" go 1.21)/gotrace.version")
gotrace=$top/build/bin/gotrace
die() { echo "bench-read.sh: $*" >&2; exit 1; }

# measure COMMAND...: sets secs and mib; what it prints is in words.
measure() {
	local rc=0 said
	said=$("$here/bench-read/measure.py" "$out/words" "$@") || rc=$?
	read -r secs mib <<< "$said"
	# 3: events were lost.
	[ $rc = 0 ] || { [ $rc = 3 ] && [ "$1" = "$gotrace" ]; }
}
events_of() { { "$gotrace" report --json --by cpu "$1" 2> /dev/null || [ $? = 3 ]; } | sed -n '1s/.*"events":\([0-9]*\).*/\1/p'; }
mib_of() { echo $(($(stat -c %s "$1") >> 20)); }
table=$out/table
# row WHAT FILE EVENTS: of what was measured.
row() {
	awk -v what="$1" -v bytes="$(stat -c %s "$2")" -v n="$3" -v secs="$secs" -v mib="$mib" 'BEGIN {
		printf "| %s | %.1f MiB | %d | %.1f | %.2f | %.0f MiB |\n", what, bytes / 1048576, n, secs, n / secs / 1e6, mib
	}' | tee -a "$table" >&2
}
head='| read by | file | events | seconds | million events/s | peak memory |
|---|---:|---:|---:|---:|---:|'

make_trace() { "$top/build/selftests/bigtrace" -e "$1" -p 8 -g 300 > "$2"; }
echo "$head" > "$table"
# Events are of about the same length however many there are.
make_trace 1000000 "$out/part.trace"
per_mib=$((1000000 * 1048576 / $(stat -c %s "$out/part.trace")))
make_trace $((size * per_mib * 1005 / 1000)) "$out/big.trace"
[ "$(mib_of "$out/big.trace")" -ge "$size" ] || die "the trace has only $(mib_of "$out/big.trace") MiB"
measure "$gotrace" report "$out/big.trace" || die "gotrace report fails"
row "\`gotrace report\`" "$out/big.trace" "$(events_of "$out/big.trace")"
ours=$mib large_mib="$(mib_of "$out/big.trace") MiB"
rm "$out/big.trace"

# What Go needs of memory grows with the trace: from a small piece follows the largest
# that will do, and when that was too much, a smaller one is.
MAP_LIMIT=$((memory << 20))
export MAP_LIMIT
make_trace $((16 * per_mib)) "$out/part.trace"
measure "$goprint" -stats "$out/part.trace" || die "Go's parser fails with $memory MiB of memory"
piece=$((16 * memory / mib))
piece=$((piece < size ? piece : size))
while :; do
	make_trace $((piece * per_mib)) "$out/part.trace"
	! measure "$goprint" -stats "$out/part.trace" || break
	piece=$((piece * 85 / 100))
	[ $piece -gt 16 ] || die "Go's parser fails"
done
unset MAP_LIMIT
n=$(events_of "$out/part.trace")
row "Go $go's parser, and its sums of goroutines" "$out/part.trace" "$n"
measure "$gotrace" report "$out/part.trace"
row "\`gotrace report\`" "$out/part.trace" "$n"

{
	cat <<-TEXT
	# Reading

	How long traces take to be read, and the memory that it needs. Made by \`make bench-read\`
	in one run on a machine with $(nproc) CPUs ($(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)) and $(awk '/^MemTotal/ { printf "%.0f", $2 / 1048576 }' /proc/meminfo) GiB of memory,
	whose load average, of 15 minutes, was $(cut -d' ' -f3 /proc/loadavg) at the end: seconds are those that passed.

	\`bigtrace -p 8 -g 300\` made them: up to 300 tasks at a time on 8 CPUs. Go's parser holds all
	events in memory, and of that there were $memory MiB for it: its trace is about the
	largest for which they did. \`gotrace report\` took $ours MiB for a trace of $large_mib.

	TEXT
	cat "$table"
} > "$top/docs/reading.md"
echo "bench-read.sh: docs/reading.md" >&2

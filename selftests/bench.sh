#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What tracing costs, counted in instructions, beside ftrace recording the same
# events. Prints a table, and writes bench.json at the top of the tree.
#
# The guest runs with -icount shift=0: one CPU, one instruction is one
# nanosecond, and nothing depends on the host's speed. Instructions are not
# time: rdtsc and locked operations count 1 here, and nothing misses a cache.
set -eu -o pipefail

usage() {
	cat <<-'USAGE'
	Usage: bench.sh [-k KERNEL] [TRACER...]

	TRACER: gotrace-calls gotrace-regions; with stacks of the kernel and of
	the program: gotrace-stacks ftrace-stacks. All, if none is named; untraced
	and ftrace are always measured. Builds what it needs.
	USAGE
}

kernel=${KVER:-6.1}
while getopts hk: opt; do
	case $opt in
	h) usage; exit 0;;
	k) kernel=$OPTARG;;
	*) usage >&2; exit 2;;
	esac
done
shift $((OPTIND - 1))
tracers=("$@")
[ $# -gt 0 ] || tracers=(gotrace-calls gotrace-regions gotrace-stacks ftrace-stacks)

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$here")
out=$top/build/bench
ko=$top/build/kmod-$kernel/gotrace.ko
mkdir -p "$out"

{
	"$here/fetch/deps.sh" &&
		make -s -C "$here" "$top/build/selftests/bench" &&
		make -s -C "$top" modules KVER="$kernel"
} > "$out/make.log" 2>&1 || {
	tail -n 40 "$out/make.log" >&2
	echo "bench.sh: the build failed" >&2
	exit 1
}

echo "bench.sh: counting in a guest, about half a minute" >&2
raw=$out/raw.txt
"$here/vm/vm.sh" --kernel "$kernel" --icount --mem 512M --timeout 600 \
	--log "$out/console.log" --pack "$here/bench/guest.sh" --pack "$ko" \
	--pack "$top/build/selftests/bench" \
	-- /bin/busybox sh "$here/bench/guest.sh" "${tracers[@]}" > "$raw" || {
		cat "$raw" >&2
		echo "bench.sh: the guest failed, its console is $out/console.log" >&2
		exit 1
	}

awk -v json="$top/bench.json" -f "$here/bench/table.awk" "$raw"

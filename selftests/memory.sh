# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the tests of reclaim have in common, for scripts to source; on events.sh.

# shellcheck source=SCRIPTDIR/events.sh
. "$(dirname "${BASH_SOURCE[0]}")/events.sh"

if [ "$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)" -gt $((1 << 20)) ]; then
	tap_ok "a machine without enough memory # SKIP this one has more than a gigabyte"
	tap_done
fi

export group=/sys/fs/cgroup/memory_test
export everything='GC.*|STW.*|Heap.*'

# in_order: the lines of $text by time.
in_order() {
	sort -n -s -k1,1 -o "$text" "$text"
}

# capture NAME OPTION... -- COMMAND...: as record, in order.
capture() {
	record "$@" && in_order
}

# in_group BYTES COMMAND...: in place of this shell, in a memory cgroup with so much.
in_group() {
	echo +memory > /sys/fs/cgroup/cgroup.subtree_control
	mkdir -p "$group"
	echo "$1" > "$group"/memory.max
	shift
	echo 0 > "$group"/cgroup.procs
	exec "$@"
}

# balanced NAME: all that begins has its end, each task's assists too. The last
# question to a trace: what is asked is no more, for memory is short.
balanced() {
	tap_is "$1: all that begins ends" "" "$(awk '
	{ n[$4]++ }
	$4 == "GCMarkAssistStart" && open[$3]++ { print "two assists of " $3 }
	$4 == "GCMarkAssistDone" { open[$3] = 0 }
	$4 ~ /^Go(End|Stop)$/ && open[$3] { print $3 " dies in an assist" }
	END {
		if (n["GCStart"] != n["GCDone"])
			print n["GCStart"] + 0 " GCStart " n["GCDone"] + 0 " GCDone"
		if (n["STWStart"] != n["STWDone"])
			print n["STWStart"] + 0 " STWStart " n["STWDone"] + 0 " STWDone"
	}' "$text")"
	rm -f "$text" "$tally"
}
export -f in_group

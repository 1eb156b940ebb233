#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two witnesses of one run: ftrace and gotrace record the same work at once,
# and must tell the same story. What that means is in witness.c.
#
# As root, with the module loaded; the traces stay in the current folder.
set -u

T=/sys/kernel/tracing
events="sched/sched_switch sched/sched_waking sched/sched_wakeup
	sched/sched_wakeup_new sched/sched_process_fork sched/sched_process_exec
	sched/sched_process_exit raw_syscalls/sys_enter raw_syscalls/sys_exit"
modes="calls regions"
n=0 failed=0

# The build machine's own list; numbers of system calls never change.
for unistd in /usr/include/*/asm/unistd_64.h /usr/include/asm/unistd_64.h; do
	[ ! -e "$unistd" ] || break
done

result() { # OK NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n witness.$2"
	else
		echo "not ok $n witness.$2"
		failed=1
	fi
}

ftrace_start() {
	echo 0 > "$T"/tracing_on
	# One number after the other from an atomic counter: the order over
	# all CPUs, which no clock could prove.
	echo counter > "$T"/trace_clock
	# 50 bytes an event: room for some 600,000 on each CPU.
	echo 32768 > "$T"/buffer_size_kb
	echo > "$T"/trace
	local e
	for e in $events; do
		echo 1 > "$T/events/$e/enable"
	done
	echo 1 > "$T"/tracing_on
}

ftrace_stop() {
	echo 0 > "$T"/tracing_on
	echo 0 > "$T"/events/enable
}

# shellcheck disable=SC2317	# the trap's
ftrace_end() {
	ftrace_stop
	echo > "$T"/trace
	echo local > "$T"/trace_clock
	echo 1 > "$T"/buffer_size_kb
}

# Nothing overwritten, nothing dropped, on any CPU.
ftrace_whole() {
	awk -F': ' '
	/^(overrun|commit overrun|dropped events):/ && $2 > 0 { print "# " FILENAME ": " $0; bad = 1 }
	/^entries:/ { n += $2 }
	END { print "# ftrace: " n " records"; exit bad }' "$T"/per_cpu/cpu*/stats
}

trap ftrace_end EXIT
echo "TAP version 13"
# shellcheck disable=SC2086
set -- $modes
echo "1..$((2 * $#))"
for mode; do
	trace=witness-$mode.trace
	# In this order: ftrace's probes are then called before gotrace's.
	ftrace_start
	gotrace record --syscalls "$mode" -o "$trace" -- \
		"$GOTRACE_TESTS/witness_load" > record.log 2>&1
	rc=$?
	ftrace_stop
	sed 's/^/# /' record.log
	ftrace_whole || rc=1
	result $rc "${mode}_records_all"
	"$GOTRACE_TESTS/witness" "$mode" "$trace" $T "$unistd"
	result $? "${mode}_tells_the_same"
done
exit $failed

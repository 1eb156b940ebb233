#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two witnesses of one run: ftrace and gotrace record the same work at once,
# and must tell the same story. What that means is in witness.c.
# vm: timeout=400
#
# As root, with the module loaded; the traces stay in the current folder.
set -u

T=/sys/kernel/tracing
events="sched/sched_switch sched/sched_waking sched/sched_wakeup
	sched/sched_wakeup_new sched/sched_process_fork sched/sched_process_exec
	sched/sched_process_exit raw_syscalls/sys_enter raw_syscalls/sys_exit"
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

# record MODE TRACE ROUNDS OPTION...: both at once. In this order: ftrace's probes
# are then called before gotrace's.
record() {
	local rc mode=$1 trace=$2 rounds=$3
	shift 3
	ftrace_start
	gotrace record "$@" --syscalls "$mode" -o "$trace" -- \
		"$GOTRACE_TESTS/witness_load" "$rounds" > record.log 2>&1
	rc=$?
	ftrace_stop
	sed 's/^/# /' record.log
	ftrace_whole || rc=1
	return $rc
}

# notices NAME AWK: what ftrace recorded, with one line changed or taken out,
# does not pass any more. The program handles the line that it wants when it
# sees `here`, which is true past the middle of each CPU's records, once.
notices() {
	local cpu dir=damaged lines
	for cpu in "$T"/per_cpu/cpu*; do
		cpu=${cpu##*/}
		mkdir -p $dir/per_cpu/"$cpu"
		lines=$(wc -l < "plain/per_cpu/$cpu/trace")
		awk -v half=$((lines / 2)) "
			{ here = FNR > half && !done }
			$2
			{ print }" "plain/per_cpu/$cpu/trace" > "$dir/per_cpu/$cpu/trace"
	done
	if diff -r -q plain $dir > /dev/null; then
		echo "# found no line to damage"
		result 1 "$1"
		return
	fi
	"$GOTRACE_TESTS/witness" regions small.trace $dir "$unistd" 100 > damaged.log
	if [ $? = 1 ] && grep -q -e 'then they differ' -e 'came to run differently' damaged.log; then
		result 0 "$1"
	else
		cat damaged.log
		result 1 "$1"
	fi
}

trap ftrace_end EXIT
echo "TAP version 13"
echo "1..11"

for mode in calls regions; do
	# Stacks change how long things take, not what happens.
	case $mode in
	calls) stacks=none;;
	*) stacks=both;;
	esac
	record $mode witness-$mode.trace 1500 --stacks $stacks
	result $? ${mode}_records_all
	"$GOTRACE_TESTS/witness" $mode witness-$mode.trace "$T" "$unistd" 10000
	result $? ${mode}_tells_the_same
done

# Would a difference be seen? A short recording, whole and then damaged; by the
# other clock, whose steps are coarse.
record regions small.trace 100 --clock mono
result $? small_records_all
for cpu in "$T"/per_cpu/cpu*; do
	mkdir -p "plain/per_cpu/${cpu##*/}"
	cat "$cpu/trace" > "plain/per_cpu/${cpu##*/}/trace"
done
"$GOTRACE_TESTS/witness" regions small.trace plain "$unistd" 100
result $? small_tells_the_same
notices notices_another_call 'here && / sys_enter: NR 0 / { sub(/NR 0 /, "NR 1 "); done = 1 }'
notices notices_a_missing_return 'here && / sys_exit: NR 1 / { done = 1; next }'
notices notices_a_missing_wakeup 'here && / sched_wakeup: comm=w-pipe/ { done = 1; next }'
notices notices_another_state \
	'here && / sched_switch: prev_comm=w-pipe.*prev_state=S/ { sub(/prev_state=S/, "prev_state=R+"); done = 1 }'
# One that somebody else sent than the one before, on the same CPU.
# shellcheck disable=SC2016	# awk's
notices notices_another_waker \
	'/ sched_waking: comm=w-(forker|sleeper)/ {
		match($0, / pid=[0-9]+/)
		to = substr($0, RSTART, RLENGTH)
		match($0, /-[0-9]+ +\[/)
		by = substr($0, RSTART, RLENGTH)
		if (here && to in last && last[to] != by) { done = 1; next }
		last[to] = by
	}'
rm -rf plain damaged damaged.log
exit $failed

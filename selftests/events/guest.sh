#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: one recording of all that makes events.	guest.sh TRACE
# shellcheck disable=SC2317	# its functions are called by name
set -u
here=$(dirname "$(readlink -f "$0")")

if [ "${1:-}" != workloads ]; then
	insmod "$GOTRACE_KO" || exit
	# It has called vfork when the trace starts, and its child ends after it.
	vforked 5000 > /dev/null &
	sleep 1
	gotrace record --in-syscall --freq 97 -o "$1" -- "$here/guest.sh" workloads
	exit
fi

rename() {
	local i
	for i in 1 2 3 4 5; do
		echo "name $i" > "/proc/$BASHPID/comm"
		sleep 0.02
	done
}

hotplug() {
	echo 0 > /sys/devices/system/cpu/cpu1/online
	sleep 0.2
	echo 1 > /sys/devices/system/cpu/cpu1/online
}

clock_source() {
	local clocks=/sys/devices/system/clocksource/clocksource0 old
	old=$(cat "$clocks"/current_clocksource)
	echo hpet > "$clocks"/current_clocksource
	echo "$old" > "$clocks"/current_clocksource
}

killed() {
	sleep 100 &
	sleep 0.1
	kill -KILL $!
	wait $! || true
}

# The guest's files come over a network: who may keep few of them in memory reclaims
# others, and sleeps there.
# shellcheck disable=SC2012 # for its calls
list() {
	local group=/sys/fs/cgroup/events
	echo +memory > /sys/fs/cgroup/cgroup.subtree_control
	mkdir -p "$group"
	echo 6M > "$group"/memory.max
	echo 0 > "$group"/cgroup.procs
	timeout 10 ls -lR /usr/lib /usr/share || [ $? = 124 ]
}

reclaim_and_rest() {
	reclaim 300 12 1 && sleep 1
}

for work in "sleep 0.1" block "spin yield 0 50" "spin hog 0 200" "herd 4 20" rename killed clock_source \
	hotplug pipeline reclaim_and_rest list; do
	# shellcheck disable=SC2086	# words
	( $work ) > /dev/null 2>&1 || echo "guest.sh: '$work' fails: $?" >&2
done
exit 0

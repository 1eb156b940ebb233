#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A small machine without enough memory: reclaim as Go's garbage collection,
# through losses, starts and stops, kills and CPUs that come and go.
# vm: timeout=600 mem=256M smp=3 slow
# shellcheck disable=SC2016,SC2317 # what is recorded calls functions of ours
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/tap.sh
. "$here/tap.sh"
# shellcheck source=SCRIPTDIR/memory.sh
. "$here/memory.sh"

# killed: four of them each time, a bit later than the time before.
killed() {
	local i
	for i in {40..51}; do
		( in_group 8M reclaim 32 4 0 ) &
		sleep 0."$i"
		kill $!
	done
	sleep 0.5
}

hotplug() {
	local i
	reclaim 300 6 0 &
	for i in 1 2 3; do
		echo 0 > /sys/devices/system/cpu/cpu1/online
		sleep 0.3
		echo 1 > /sys/devices/system/cpu/cpu1/online
		sleep 0.1
	done
	kill $!
}

export -f killed hotplug

# ---- losses: the smallest buffers, and a reader who is stopped now and then

# lost: events lost for want of a buffer.
lost() {
	gotrace status | awk '$1 == "lost_buffer" { print $2 }'
}

tap_run "loss: starts" gotrace start --buffer 320K --stacks both
cat /dev/gotrace > memory_loss.trace &
reader=$!
reclaim 300 6 0 &
load=$!
for i in 1 2 3; do
	before=$(lost) seen=0
	kill -STOP $reader
	dd if=/dev/zero of=/dev/null bs=1 2> /dev/null &	# calls, for their bytes
	for _ in {1..300}; do
		seen=$(lost)
		[ "$seen" = "$before" ] || break
		sleep 0.1
	done
	tap_num "loss $i: $before events lost before" "$seen" -gt "$before"
	kill $!
	kill -CONT $reader
	sleep 0.3
done
kill $load
gotrace stop 2> /dev/null
tap_is "loss: stops, and says so" 3 $?
wait $reader
dump memory_loss
in_order
tap_num "loss: collections" "$(count by '.*' GCStart)" -gt 1
tap_num "loss: assists" "$(count by '.*' GCMarkAssistStart)" -gt 20
balanced loss

# ---- starts and stops in the middle of it

in_group 8M reclaim 24 1 0 > /dev/null &
grouped=$!
reclaim 300 3 0 > /dev/null &
global=$!
for i in 1 2 3; do
	if capture "memory_middle_$i" -d 1; then
		tap_num "middle $i: assists" "$(count by '.*' GCMarkAssistStart)" -gt 5
		balanced "middle $i"
	fi
done
kill $global $grouped
wait $global $grouped 2> /dev/null

# ---- killed while they reclaim

if capture memory_killed --syscalls off -- bash -c killed; then
	# Who reclaims and dies of it, and who waits for a page and does not.
	tap_num "killed: all" "$(awk '
		$4 == "GCMarkAssistStart" { reclaims[$3] = 1 }
		$4 == "GoStop" && $3 in reclaims { n++ }
		END { print n + 0 }' "$text")" -ge 40
	balanced killed
fi

# ---- CPUs that go and come, so that numbers of CPUs are missing in between

if capture memory_hotplug --syscalls off -- bash -c hotplug; then
	tap_is "hotplug: the world stopped for each CPU that went" 3 \
		"$(grep -c 'STWStart kind=9$' "$text")"
	balanced hotplug
fi
tap_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Switches and wake-ups under load: pairs that wake each other, time-outs that
# race with wakes, hogs and yielders, moves between CPUs and priorities, stops.
# Whether the events tell a possible story is for Go's parsers, on the host; here
# it is that they are there, and as many as were caused.
# vm: timeout=300
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/tap.sh
. "$here/tap.sh"
# shellcheck source=SCRIPTDIR/events.sh
. "$here/events.sh"

any='.*'
blocks='GoBlock.*|GoSleep|GoSysBlock'
wakes='GoUnblock.*|GoSysExit'

# woken_once NAME PID...: each sleep of theirs has its one wake-up.
woken_once() {
	local name=$1 pid
	shift
	for pid; do
		tap_is "$name: $pid is woken as often as it sleeps" \
			"$(count by "$pid" "$blocks")" "$(count of "$pid" "$wakes")"
	done
}

# pair KIND EVENT MODE: on one CPU no ball comes back before one side has slept.
pair() {
	local kind=$1 event=$2 mode=$3 n=500 pids
	if record "sched_${kind}_one" --syscalls "$mode" -- pair "$kind" 0 0 $n; then
		read -ra pids < "$out"
		tap_num "$kind on one CPU: $event of both" \
			"$(count by "${pids[0]}|${pids[1]}" "$event")" -ge $n
		woken_once "$kind on one CPU" "${pids[@]}"
	fi
	if record "sched_${kind}_two" --syscalls "$mode" -- pair "$kind" 0 1 $n; then
		read -ra pids < "$out"
		tap_num "$kind on two CPUs: $event of both" \
			"$(count by "${pids[0]}|${pids[1]}" "$event")" -gt 20
		woken_once "$kind on two CPUs" "${pids[@]}"
	fi
}
pair pipe GoBlockRecv calls
pair futex GoBlockSync regions
pair socket GoBlockRecv off
pair signal GoBlockCond regions

if record sched_yield --syscalls off -- spin yield 0 200; then
	while read -r pid; do
		tap_num "yield: GoSched of $pid" "$(count by "$pid" GoSched)" -ge 20
	done < "$out"
fi

if record sched_hog --syscalls calls -- spin hog 1 300; then
	while read -r pid; do
		tap_num "hog: GoPreempt of $pid" "$(count by "$pid" GoPreempt)" -ge 3
		tap_is "hog: no GoSched of $pid" 0 "$(count by "$pid" GoSched)"
	done < "$out"
fi

if record sched_move --syscalls regions -- spin move 900; then
	tap_is "move: all ran on both CPUs" "$(($(wc -l < "$out") * 2))" "$(awk '
		FNR == NR { pid["g=" $1] = 1; next }
		$4 ~ /^GoStart/ && $5 in pid { ran[$5 " " $2] = 1 }
		END { for (k in ran) n++; print n + 0 }' "$out" "$text")"
fi

for mode in off calls regions; do
	if record "sched_race_$mode" --syscalls $mode -- race 700; then
		for event in GoSleep GoBlockSync GoBlockSelect GoBlockCond; do
			tap_num "race, $mode: $event" "$(count by "$any" $event)" -gt 100
		done
	fi
done

# Wake-ups that were of no use are wake-ups as all others: Go's FutileWakeup is
# not written, its newest tool refuses it.
if record sched_herd --syscalls calls -- herd 8 50; then
	while read -r tid; do
		# One that looks asleep and is not yet may be woken before it is.
		tap_num "herd: $tid sleeps in every round" "$(count by "$tid" GoBlockSync)" -ge 46
		woken_once "herd" "$tid"
	done < "$out"
	tap_is "herd: all 9 are of one process, its first thread" "9 1 1" "$(
		gotrace report --json sched_herd.trace | awk '
		/"row":"task"/ && /"name":"herd"/ {
			n++
			match($0, /"process":[0-9]+/)
			process = substr($0, RSTART + 10, RLENGTH - 10)
			first += index($0, "\"id\":" process ",") > 0
			processes += !seen[process]++
		}
		END { print n + 0, processes + 0, first + 0 }')"
	tap_is "herd: no FutileWakeup" 0 "$(count by "$any" FutileWakeup)"
fi

# A task that is told to go on before it has stopped does not sleep: a stop by
# SIGSTOP may be missing now and then, and "blindly" all of them.
if record sched_stops --syscalls regions -- stops 60; then
	while read -r name pid; do
		n=50
		[ "$name" != blindly ] || n=0
		tap_num "stops: $name: GoBlockCond" "$(count by "$pid" GoBlockCond)" -ge $n
		tap_is "stops: $name: GoStop" 1 "$(count by "$pid" GoStop)"
		woken_once "stops: $name" "$pid"
	done < "$out"
fi

# The other clocks, with --idle: P's come and go.
for clock in tsc mono boot; do
	if record "sched_idle_$clock" --idle --clock $clock -- sh -c 'sleep 0.5; pair pipe 0 1 200'; then
		stops=$(count by "$any" ProcStop)
		tap_num "idle, $clock: P's stop" "$stops" -gt 20
		tap_is "idle, $clock: and start as often" "$stops" "$(count by "$any" ProcStart)"
	fi
done
# CPUs that go and come while others work, and one that is gone at the start.
cpu1=/sys/devices/system/cpu/cpu1/online
if [ -w $cpu1 ]; then
	record sched_hotplug --syscalls regions -- sh -c "
		storm -w 2 -t 1500 fork thread exec &
		for i in 1 2 3; do
			echo 0 > $cpu1; sleep 0.2
			echo 1 > $cpu1; sleep 0.2
		done
		wait" &&
		tap_is "hotplug: Gomaxprocs twice at the start, and at each change" 8 \
			"$(count by "$any" Gomaxprocs)"
	echo 0 > $cpu1
	record sched_hotplug_late --syscalls calls -- sh -c "
		sleep 0.1; echo 1 > $cpu1; pair pipe 0 1 100" &&
		tap_num "hotplug: a CPU that comes later is traced" \
			"$(awk '$2 == 1' "$text" | wc -l)" -gt 100
	echo 1 > $cpu1
fi
tap_done

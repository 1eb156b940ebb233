#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A small machine without enough memory: reclaim as Go's garbage collection,
# counted beside ftrace; and the stopped world.
# vm: timeout=200 mem=256M smp=3
# shellcheck disable=SC2016,SC2317 # what is recorded calls functions of ours
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/tap.sh
. "$here/tap.sh"
# shellcheck source=SCRIPTDIR/memory.sh
. "$here/memory.sh"

export T=/sys/kernel/tracing
export clocks=/sys/devices/system/clocksource/clocksource0

# steal: pages that the kernel says it has reclaimed.
steal() {
	awk '$1 ~ /^pgsteal_(anon|file)$/ { n += $2 } END { print n }' /proc/vmstat
}

# goal: bytes in use at which kswapd is woken, from the zones' own words.
goal() {
	awk -v total="$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)" '
	$1 == "low" && NF == 2 { low = $2 }
	$1 == "managed" { managed = $2 }
	$1 == "protection:" {
		gsub(/[(),]/, "")
		reserve = low + $5	# DMA, DMA32, Normal, Movable
		pages += reserve < managed ? reserve : managed
	}
	END { print total * 1024 - pages * 4096 }' /proc/zoneinfo
}

# in_use: bytes of memory in use.
in_use() {
	awk '$1 == "MemTotal:" { n += $2 } $1 == "MemFree:" { n -= $2 } END { print n * 1024 }' \
		/proc/meminfo
}

# with_ftrace FILE COMMAND...: while ftrace records what reclaim does.
with_ftrace() {
	local file=$1
	shift
	echo 4096 > "$T"/buffer_size_kb
	echo > "$T"/trace
	for e in kswapd_wake kswapd_sleep direct_reclaim_begin direct_reclaim_end \
		memcg_reclaim_begin memcg_reclaim_end lru_shrink_inactive; do
		echo 1 > "$T/events/vmscan/mm_vmscan_$e/enable"
	done
	echo 1 > "$T"/tracing_on
	"$@"
	sleep 0.5
	echo 0 > "$T"/tracing_on
	echo 0 > "$T"/events/vmscan/enable
	cat "$T"/trace > "$file"
	grep -h overrun "$T"/per_cpu/cpu*/stats >> "$file"
}

# work FILE: kswapd and the tasks themselves reclaim, then a group does.
work() {
	steal > "$1.before"
	with_ftrace "$1" bash -c 'for i in 1 2 3; do reclaim 300 12 1; sleep 0.5; done'
	with_ftrace "$1.group" bash -c 'in_group 8M reclaim 24 2 3'
	steal > "$1.after"
	goal > "$1.goal"
	in_use > "$1.in_use"
	sleep 0.3
}

stop_world() {
	local _
	for _ in 1 2 3; do
		echo hpet > "$clocks"/current_clocksource
		echo tsc > "$clocks"/current_clocksource
	done
}

# A suspend that only freezes and thaws tasks: all it stops for is in between.
suspend() {
	echo freezer > /sys/power/pm_test
	echo 1 > /sys/module/suspend/parameters/pm_test_delay
	echo freeze > /sys/power/state
	echo none > /sys/power/pm_test
}

export -f steal goal in_use with_ftrace work stop_world suspend

# ftrace_says: "ASSISTS SWEEPS SCANNED RECLAIMED COLLECTIONS LOST", in bytes.
ftrace_says() {
	awk '
	function value(name,    s) {
		s = $0
		sub(".* " name "=", "", s)
		return s + 0
	}
	/reclaim_begin:/ { assists++ }
	/lru_shrink_inactive:/ {
		sweeps++
		scanned += value("nr_scanned")
		reclaimed += value("nr_reclaimed")
	}
	/kswapd_wake:/ { if (!awake++) collections++ }
	/kswapd_sleep:/ { awake = 0 }
	/^overrun:/ { lost += $2 }
	END {
		printf "%d %d %d %d %d %d\n", assists, sweeps, scanned * 4096,
			reclaimed * 4096, collections, lost
	}' "$@"
}

gotrace_says() {
	awk '
	$4 == "GCMarkAssistStart" { assists++ }
	$4 == "GCSweepStart" { sweeps++ }
	$4 == "GCSweepDone" {
		scanned += substr($5, index($5, "=") + 1)
		reclaimed += substr($6, index($6, "=") + 1)
	}
	$4 == "GCStart" { collections++ }
	END { printf "%d %d %d %d %d %d\n", assists, sweeps, scanned, reclaimed, collections, 0 }
	' "$text"
}

# last EVENT: its number of bytes.
last() {
	awk -v event="$1" '$4 == event { n = substr($5, 7) } END { print n + 0 }' "$text"
}

# near NAME A B MEGABYTES: they are not further apart.
near() {
	local apart=$(($2 - $3))
	tap_num "$1: $2 is about $3" "${apart#-}" -le $(($4 << 20))
}

# ---- beside ftrace

if capture memory_ftrace --syscalls off -- bash -c 'work "$0"' "$events_dir/ftrace"; then
	ftrace=$events_dir/ftrace
	says=$(ftrace_says "$ftrace" "$ftrace.group")
	read -r assists sweeps scanned reclaimed collections lost <<< "$says"
	tap_num "the tasks reclaimed themselves, $assists times" "$assists" -gt 100
	tap_num "$sweeps passes were made" "$sweeps" -gt 100
	tap_num "of $scanned bytes, so many freed" "$reclaimed" -gt $((64 << 20))
	tap_num "kswapd ran $collections times" "$collections" -gt 2
	tap_is "ftrace lost none" 0 "$lost"
	tap_is "ftrace counts as we do" "$says" "$(gotrace_says)"
	tap_is "the kernel has reclaimed as much" "$reclaimed" \
		$((($(cat "$ftrace.after") - $(cat "$ftrace.before")) * 4096))
	tap_is "the goal is the zones'" "$(cat "$ftrace.goal")" "$(last HeapGoal)"
	near "bytes in use at the end" "$(last HeapAlloc)" "$(cat "$ftrace.in_use")" 4
	near "bytes in use when kswapd began" "$(awk '
		$4 == "GCStart" { at = 1 }
		at && $4 == "HeapAlloc" { print substr($5, 7); exit }' "$text")" "$(last HeapGoal)" 8
	balanced ftrace
fi

# ---- asleep in reclaim

# The guest's files come over a network, and each that is forgotten costs a message.
# shellcheck disable=SC2012 # for its calls
list() {
	in_group 6M timeout 8 ls -lR /usr/lib /usr/share > /dev/null 2>&1
}
export -f list

if capture memory_asleep --syscalls calls -- bash -c '(list); true'; then
	tap_num "asleep: GoBlockGC in an assist" "$(awk '
		$4 == "GCMarkAssistStart" { assists[$3] = 1 }
		$4 == "GCMarkAssistDone" { assists[$3] = 0 }
		$4 == "GoBlockGC" { n += assists[$3] }
		END { print n + 0 }' "$text")" -gt 0
	balanced asleep
fi

# ---- without

if capture memory_off --memory off -- reclaim 300 6 1; then
	tap_is "--memory off: none of it" 0 "$(count by '.*' "$everything")"
fi

# ---- the stopped world

if capture memory_world --stacks none -- bash -c stop_world; then
	# Each inside its write, by a stopper.
	tap_is "world: as often as it was stopped" 6 "$(awk '
	$4 == "UserRegion" && $6 == "mode=0" { call[$3] = $7 }
	$4 == "UserRegion" && $6 == "mode=1" && call[$3] == "name=syscall.write" {
		n += stopped == 1; stopped = 0
	}
	$4 == "STWStart" { stopped++ }
	END { print n + 0 }' "$text")"
	balanced world
fi

if capture memory_suspend --syscalls off -- bash -c 'echo $$; suspend'; then
	tap_num "suspend: the world stopped, while who suspends ran" "$(awk -v pid="g=$(cat "$out")" '
		$4 ~ /^GoStart/ { runs[$2] = $5 }
		$4 == "STWStart" { n += runs[$2] == pid }
		END { print n + 0 }' "$text")" -gt 0
	balanced suspend
fi
tap_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# CPU samples while tasks, sessions, CPUs and the module come and go.
# vm: timeout=400 tcg=single
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/command.sh
. "$here/command.sh"

# sampled NAME [P]: how many samples, of all CPUs or of that one.
sampled() { gotrace dump --no-frames "$1.trace" | awk -v p="${2:-}" '$4 == "CPUSample" && (p == "" || $2 == p)' | wc -l; }

for calls in calls regions; do
	run 0 gotrace record -F 4000 --syscalls $calls --no-symbols -o storm_$calls.trace -- storm -t 1500 fork exec vfork thread crowd signal orphan &&
		[ "$(sampled storm_$calls)" -gt 1000 ]
	ok "a storm of births and deaths, --syscalls $calls"
done

spin hog 0 20000 > "$said/pids" &
for ((i = 0; i < 30; i++)); do
	run 0 gotrace start -F 2000 --stacks both --discard || break
	[ $((i % 3)) = 0 ] || sleep 0.0$((i % 7))
	run 0 gotrace stop || break
done
[ $i = 30 ]
ok "30 sessions"
timeout 20 cat /dev/gotrace > last.trace && run 0 gotrace dump last.trace
ok "the last one is whole"
gotrace start -F 10000 --stacks both 2> /dev/null
run 0 rmmod gotrace && insmod "$GOTRACE_KO"
ok "rmmod takes a session that samples with it"

cpu1=/sys/devices/system/cpu/cpu1/online
if [ -w $cpu1 ]; then
	run 0 gotrace record -F 999 --no-symbols -o hotplug.trace -- sh -c "
		storm -w 2 -t 2500 fork exec &
		for i in 1 2 3; do
			echo 0 > $cpu1; sleep 0.3
			echo 1 > $cpu1; sleep 0.3
		done
		wait"
	ok "CPUs go and come back"
	# It stands still for long three times, and is sampled before and after each.
	gotrace dump --no-frames hotplug.trace | awk '
		$2 == 1 && ($4 == "ProcStart" || $4 == "ProcStop" || $4 == "CPUSample") { print $1, $4 }' |
		sort -s -n | awk '
		$2 == "ProcStart" { if ($1 - off > 100 * 1000 * 1000) { away += away_n; print n; n = 0 } away_n = 0; off = 0 }
		$2 == "ProcStop" { off = $1 }
		$2 == "CPUSample" { if (off) away_n++; else n++ }
		END { print n; print "away", away + 0 }' > "$said/out"
	prints "away 0" && is "$(wc -l < "$said/out")" 5 turns && ! grep -qx 0 "$said/out"
	ok "a CPU is sampled again when it is back, and not while it is away"
	echo 0 > $cpu1
	run 0 gotrace record -F 999 --no-symbols -o late.trace -- sh -c "sleep 0.2; echo 1 > $cpu1; taskset 2 sh -c 'i=0; while [ \$i -lt 40000 ]; do i=\$((i + 1)); done'" &&
		[ "$(sampled late 1)" -gt 20 ]
	ok "a CPU that comes later"
	echo 1 > $cpu1
else
	tap_ok "hotplug # SKIP no CPU that can go"
fi
tap_done

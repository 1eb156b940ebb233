#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Births and deaths: tids used again and again, exec by a thread, death by
# signals, and those who slept all the time.
# vm: timeout=300
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/tap.sh
. "$here/tap.sh"
# shellcheck source=SCRIPTDIR/events.sh
. "$here/events.sh"

any='.*'
ends='GoEnd|GoStop'

# more_than_one WHOSE EVENT: G's that have it more often than once.
more_than_one() {
	awk -v whose="$1" -v event="^($2)$" '
	$2 == whose && $4 ~ event { n[$3] += $1 }
	END { for (g in n) if (n[g] > 1) printf "%s ", g }' "$tally"
}

# come_back: G's created for a tid that had another one before.
come_back() {
	awk '$2 == "of" && $4 == "GoCreate" && $3 >= 4194304 { n++ } END { print n + 0 }' "$tally"
}

# of_them EVENT: how many of sleepers.tids have it.
of_them() {
	awk -v event="$1" '
	FNR == NR { tid[$1] = 1; next }
	$2 == "of" && $4 ~ event && $3 in tid { n += $1 }
	END { print n + 0 }' sleepers.tids "$tally"
}

# --- 500 threads asleep before the start

mkfifo hold
exec 9<> hold
sleepers 500 < hold > sleepers.out &
sleepers_pid=$!
for ((i = 0; i < 300; i++)); do
	[ "$(tail -n 1 sleepers.out)" != "" ] || [ ! -s sleepers.out ] || break
	sleep 0.1
done
grep . sleepers.out > sleepers.tids
tap_is "500 threads are asleep" 500 "$(wc -l < sleepers.tids)"
for mode in off regions; do
	record "tasks_asleep_$mode" --syscalls $mode -- sleep 0.2 || continue
	tap_num "$mode: GoWaiting" "$(count of "$any" GoWaiting)" -ge 500
	tap_is "$mode: each of the 500 is created" 500 "$(of_them '^GoCreate$')"
	tap_is "$mode: each of the 500 waits" 500 "$(of_them '^GoWaiting$')"
	tap_is "$mode: nobody is created twice" "" "$(more_than_one of GoCreate)"
	tap_is "$mode: nobody waits twice" "" "$(more_than_one of GoWaiting)"
	tap_is "$mode: none of them runs" 0 "$(of_them '^GoStart')"
done
# and they all die while it is recorded
disown
record tasks_asleep_die --syscalls off -- sh -c "kill -9 $sleepers_pid; sleep 1"
tap_num "each of the 500 is woken" "$(of_them '^GoUnblock')" -ge 500
tap_is "each of the 500 dies" 500 "$(awk '
	FNR == NR { tid[$1] = 1; next }
	$2 == "by" && $4 == "GoStop" && $3 in tid { n += $1 }
	END { print n + 0 }' sleepers.tids "$tally")"
exec 9>&-
rm -f hold sleepers.out sleepers.tids

# --- one found in an uninterruptible sleep in a call, as Go would have it

for how in "" --in-syscall; do
	vforked 2500 &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		[ "$(cut -d' ' -f3 "/proc/$pid/stat")" != D ] || break
		sleep 0.02
	done
	# shellcheck disable=SC2086 # no option, or one
	gotrace record $how --stacks none -o found.old -- \
		sh -c "while [ -e /proc/$pid ] && [ \$(cut -d' ' -f3 /proc/$pid/stat) = D ]; do sleep 0.1; done" \
		2> /dev/null
	wait $pid
	steps=$(gotrace dump found.old | sort -n -s -k 1,1 | awk -v g="$pid" '
	$3 == g && $4 ~ /^(GoWaiting|GoInSyscall|GoSysExit)$/ ||
	$4 ~ /^GoUnblock/ && $5 == "g=" g || $4 ~ /^GoStart/ && $5 == "g=" g {
		sub(/Local$/, "", $4); print $4 }' | head -n 3 | tr '\n' ' ')
	if [ "$how" ]; then
		tap_is "found in a call, $how" "GoInSyscall GoSysExit GoStart " "$steps"
	else
		tap_is "found in a call" "GoWaiting GoUnblock GoStart " "$steps"
	fi
done
rm -f found.old

# --- tids that come back

pid_max=$(cat /proc/sys/kernel/pid_max)
echo 400 > /proc/sys/kernel/pid_max
for mode in off calls regions; do
	record "tasks_storm_$mode" --syscalls $mode -- \
		storm -w 2 -t 1500 fork fork thread exec fork vfork crowd signal orphan || continue
	tap_num "$mode: goids of tids that came back" "$(come_back)" -gt 20
	tap_is "$mode: no goid is created twice" "" "$(more_than_one of GoCreate)"
	tap_is "$mode: nobody dies twice" "" "$(more_than_one by "$ends")"
	tap_num "$mode: many die by signals" "$(count by "$any" GoStop)" -gt 3
	tap_num "$mode: more die of their own will" "$(count by "$any" GoEnd)" -gt 20
done
# In a new session a tid is its own goid again.
if record tasks_storm_again --syscalls off -- true; then
	tap_is "a new session begins with plain tids" 0 "$(come_back)"
fi
echo "$pid_max" > /proc/sys/kernel/pid_max

# --- exec by a thread

marks=mode=0,name=syscall.getpriority
if record tasks_takeover --syscalls regions -- takeover 4; then
	tap_is "four threads took over" 4 "$(wc -l < "$out")"
	read -r pid _ < "$out"
	while read -r _ tid; do
		tap_is "takeover: $tid goes on as itself under tid $pid" 5 \
			"$(count by "$tid" UserRegion $marks)"
		tap_is "takeover: $tid dies once" 1 "$(count by "$tid" "$ends")"
	done < "$out"
	tap_is "takeover: $pid, the first thread, dies once" 1 "$(count by "$pid" "$ends")"
	tap_is "takeover: and calls nothing after it" 0 "$(count by "$pid" UserRegion $marks)"
fi

# --- GoEnd and GoStop

# death NAME EVENT OTHER COMMAND: the command's own process dies with EVENT.
death() {
	local name=$1 event=$2 other=$3 pid
	record "tasks_$name" --syscalls calls -- sh -c "sh -c 'echo \$\$; $4'; :" || return
	read -r pid < "$out"
	tap_is "$name is $event" 1 "$(count by "$pid" "$event")"
	tap_is "$name is not $other" 0 "$(count by "$pid" "$other")"
}
death exit GoEnd GoStop 'exit 3'
death sigterm GoStop GoEnd 'kill -TERM $$'
death sigkill GoStop GoEnd 'kill -KILL $$'
death sigsegv GoStop GoEnd 'kill -SEGV $$'
tap_done

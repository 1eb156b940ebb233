#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a session leaves out: who and what of known tasks (prog_filter.c) is in its
# trace, and that Go's parsers take it, also with losses and CPUs that come and go.
# And its limits.
# vm: timeout=200
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/command.sh
. "$here/command.sh"

# ---- A world ----

groups=$PWD/groups
trap 'umount "$groups"; rmdir "$groups"; rm -rf "$said"' EXIT
mkdir "$groups" && mount -t cgroup2 none "$groups" && mkdir -p "$groups/flt/below"
nobody=65534
filter "$groups/flt/below" $nobody > ids &
until [ "$(wc -l < ids)" = 6 ]; do sleep 0.05; done
sleep 0.2
declare -A id
while read -r name n; do id[$name]=$n; done < ids
all=(main thread child grand user renamed)

# traced NAME OPTION...: a moment of the world, whose text is in $text.
traced() {
	text=$said/$1.text
	tap_run "$1: recorded" gotrace record -d 0.25 --stacks none -o "filter_$1.trace" "${@:2}" &&
		gotrace dump "filter_$1.trace" > "$text"
}
# Who is created; names of those we know, numbers of others.
created() {
	local n name
	sed -n 's/.* GoCreate .*newg=\([0-9]*\).*/\1/p' "$text" | sort -un | while read -r n; do
		for name in "${all[@]}"; do
			[ "$n" != "${id[$name]}" ] || n=$name
		done
		echo "$n"
	done | sort | paste -sd' '
}
sorted() { tr ' ' '\n' <<< "$1" | sort | paste -sd' '; }
# These, and nobody else, are there; they run.
only() {
	tap_is "$1: who is there" "$(sorted "$2")" "$(created)"
	local name
	for name in $2; do
		tap_num "$1: $name runs" "$(awk -v g="g=${id[$name]}" \
			'$4 ~ /^GoStart/ && $5 == g' "$text" | wc -l)" -ge 10
	done
}
# The calls that begin.
calls() {
	awk '$4 == "UserRegion" && $6 == "mode=0" { print substr($7, 14) }' "$text" |
		sort -u | paste -sd' '
}
events() { grep -cE "^[^ ]+ +[0-9]+ +[0-9]+ ($1)( |$)" "$text"; }

# ---- Who ----

traced pid -p "${id[main]}"
only pid "main thread"
tap_is "pid: their calls" "clock_nanosleep getpgrp getppid" "$(calls)"
tap_num "pid: wake-ups by others" "$(events 'GoUnblock.*')" -ge 50

traced tid -t "${id[thread]},${id[user]}" --syscalls calls
only tid "thread user"

traced follow -p "${id[main]}" --follow --stacks both
only follow "main thread child grand user renamed"

traced comm --comm 'flt-ch*' --comm 'flt-[g]rand'
only comm "child grand"

traced renamed --comm flt-in
only renamed renamed
tap_is "renamed: calls under that name alone" "getgid prctl" "$(calls)"
tap_is "renamed: its other name is nowhere" 0 \
	"$(grep -v GoCreate "$text" | grep -c flt-out)"

echo "${id[child]}" > "$groups/flt/cgroup.procs"
traced cgroups --idle -G "$groups/flt/below" -G "$groups/flt"
only cgroups "child grand"
(until gotrace status | grep -q "state  *tracing"; do :; done
 sleep 0.1; echo "${id[child]}" > "$groups/cgroup.procs"
 sleep 0.1; echo "${id[child]}" > "$groups/flt/below/cgroup.procs") &
traced moved -G "$groups/flt" -d 0.8
wait $!
only moved "child grand"
tap_num "moved: who left is asleep meanwhile" "$(awk -v g="${id[child]}" '
	{ t = $1 + 0 } $4 ~ /^GoBlock|^GoSleep/ && $3 == g { from = t }
	$4 ~ /^GoUnblock/ && $5 == "g=" g && t - from > max { max = t - from }
	END { printf "%.0f", max / 1000000 }' "$text")" -ge 40

traced uid -u $nobody
only uid user
traced both -u $nobody,0 --comm filter -p "${id[main]}" -e sched,annotations
only both "main thread"
tap_is "both: no kinds of events but these" 0 "$(events 'UserRegion|GoSysCall|Heap.*')"

# New threads, children, and what exec makes of them.
traced command -d 10 --only-command -- sh -c 'storm -w 1 -t 150 fork thread exec; exec sleep 0.02'
tap_is "command: nobody of the world" "" "$(created | tr ' ' '\n' | grep -E '[a-z]')"
tap_num "command: and some of its own" "$(created | wc -w)" -ge 4
tap_num "command: they end" "$(events 'GoEnd|GoStop')" -ge 3
storm -w 1 -t 60000 fork thread exec > /dev/null &
traced storm --comm storm --syscalls calls
kill $!
tap_is "storm: nobody of the world" "" "$(created | tr ' ' '\n' | grep -E '[a-z]')"
tap_num "storm: those born under that name" "$(created | wc -w)" -ge 3

# ---- Where and what ----

traced cpu -C 1
tap_is "cpu: events of the other" "" "$(awk '$2 == 0 { print $4 }' "$text" |
	grep -vE '^(GoCreate|GoWaiting|Gomaxprocs|String|Stack|Frequency|Batch)$' | sort -u)"
tap_num "cpu: it runs somebody" "$(events 'GoStart.*')" -ge 10

traced calls --calls getpgrp,getuid -p "${id[main]}" --follow
tap_is "calls" "getpgrp getuid" "$(calls)"
tap_num "calls: sleeps are known as before" "$(events GoSleep)" -ge 50
traced nocalls --no-calls clock_nanosleep,getppid -p "${id[main]}"
tap_is "no-calls" "getpgrp" "$(calls)"

traced syscalls -e syscalls -p "${id[main]}" --stacks both
# Who was found asleep is woken by its first start, if it was.
tap_is "events: syscalls alone" "GoCreate GoSched GoStart UserRegion" \
	"$(awk '$4 ~ /^(Go[A-Z]|User|Heap|GC)/ { print $4 }' "$text" |
		sed 's/Local//' | grep -vE '^(GoWaiting|GoUnblock)$' | sort -u | paste -sd' ')"
tap_num "events: many of them" "$(events UserRegion)" -ge 100
traced samples -F 499 -p "${id[main]}"
tap_is "samples: whose" "" "$(awk '$4 == "CPUSample"' "$text" |
	grep -vE "g=(0|${id[main]}|${id[thread]})( |$)")"

# ---- Together with what else happens ----

cpu1=/sys/devices/system/cpu/cpu1/online
min=$(($(getconf _NPROCESSORS_CONF) * 65536 + 131072))
tap_run "start, with the least memory" \
	gotrace start --buffer $min -p "${id[main]}" --follow --stacks both -F 199
for n in 0 1 0 1; do
	echo $n > $cpu1
	sleep 0.15
done
for ((i = 0; i < 200; i++)); do
	lost=$(gotrace status | sed -n 's/^lost_buffer  *//p')
	[ "$lost" -lt 200 ] || break
	sleep 0.05
done
tap_num "losses" "$lost" -ge 200
tap_run "more memory" gotrace resize 8M
sleep 0.3
gotrace status > "$said/status"
tap_is "as it was asked for" 128 "$(sed -n 's/^buffers_limit  *//p' "$said/status")"
tap_is "no CPU is dark" 0 "$(grep -c '^[0-9].* dark ' "$said/status")"
lost=$(sed -n 's/^lost_buffer  *//p' "$said/status")
sleep 0.3
tap_is "no more losses" "$lost" "$(gotrace status | sed -n 's/^lost_buffer  *//p')"
tap_run "less memory" gotrace resize $min
tap_is "filters are told" "filtered pid" "$(gotrace status | grep filtered | xargs)"
run 3 gotrace stop
ok "stop says that there were losses"
lost=$(gotrace status | sed -n 's/^lost_buffer  *//p')
cat /dev/gotrace > filter_lossy.trace
gotrace dump filter_lossy.trace > "$said/lossy.text"
text=$said/lossy.text
tap_is "losses: who is there" "$(sorted "${all[*]}")" "$(created)"
tap_is "losses: all are told" "$lost" "$(sed -n 's/.*message=lost\\x20\([0-9]*\)\\x20events.*/\1/p' "$text" |
	awk '{ n += $1 } END { print n + 0 }')"

# ---- Limits ----

tap_run "start with a time" gotrace start --max-time 300ms
sleep 1
gotrace status > "$said/status"
tap_is "it has stopped itself" "state draining stopped max-time" \
	"$(grep -E '^(state|stopped)' "$said/status" | xargs)"
ns=$(awk '$1 == "start_mono" { a = $2 } $1 == "end_mono" { print $2 - a }' "$said/status")
tap_num "not before it is over" "$ns" -ge 300000000
tap_num "nor much later" "$ns" -le 700000000
cat /dev/gotrace > filter_time.trace
run 0 gotrace record --max-size 1M -o filter_size.trace -- storm -w 2 -t 60000 fork
says "came to its --max-size"
ok "record: a limit of the size ends the command"
size=$(stat -c %s filter_size.trace)
tap_num "the size: as much as allowed" "$size" -ge 1048576
tap_num "the size: little more" "$size" -le 2097152

# ---- Mistakes ----

run 1 gotrace resize 1M && says "Nothing is being traced"
ok "resize without a session"
run 1 gotrace record -d 1 -p 4194000 -o x && says "No such process"
ok "a number of nobody's"
run 1 gotrace record -d 1 -C 4000 -o x && says "out of the range"
ok "no such CPU"
run 1 gotrace record -d 1 -G "$groups/../" -o x || run 2 gotrace record -d 1 -G "$groups/../" -o x
ok "no group of version 2"
run 2 gotrace record -d 1 --calls read,nonsense -o x && says "no system call 'nonsense'"
ok "no such call"
run 2 gotrace record --only-command && says "wants a COMMAND"
ok "--only-command without one"
run 127 gotrace record --only-command -o x -- /nonexistent/command
ok "a command that cannot be run"
run 2 gotrace record -e sched,nonsense && says "not 'nonsense'"
ok "no such events"
tap_is "nothing is left" none "$(gotrace status | awk '$1 == "state" { print $2 }')"
rm -f x

kill "${id[@]}" 2> /dev/null
wait
tap_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Annotations: the trace says what programs said, and stays one that Go reads
# whatever they get wrong. (The device's side of it is annotate_test.c.)
# vm: timeout=400
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/tap.sh
. "$here/tap.sh"
# shellcheck source=SCRIPTDIR/events.sh
. "$here/events.sh"

# by_thread: lines of TID..., each thread's in their order.
by_thread() { sort -n -s -k 1,1; }

# said: the annotations in $text as prog_annotate.c writes them, in order of time.
said() {
	sort -n -s -k 1,1 "$text" | awk '
	{ delete v; for (i = 5; i <= NF; i++) { at = index($i, "="); v[substr($i, 1, at - 1)] = substr($i, at + 1) } }
	$4 == "UserTaskCreate" { print $3, "create", v["name"], v["task"], v["parent"] }
	$4 == "UserTaskEnd" { print $3, "finish", v["task"] }
	$4 == "UserRegion" && v["name"] !~ /^syscall\./ {
		print $3, v["mode"] + 0 ? "end" : "begin", v["name"], v["task"] }
	$4 == "UserLog" && v["key"] != "gotrace" {
		print $3, "log", v["key"] == "" ? "-" : v["key"], v["message"], v["task"] }'
}

# same NAME WANTED-FILE: the trace shows these, and no others.
same() {
	by_thread < "$2" > "$events_dir/want"
	said | by_thread > "$events_dir/got"
	tap_run "$1" diff "$events_dir/want" "$events_dir/got"
}

# --- what a program did

for options in "regions both" "regions none" "calls none" "off user" "off none"; do
	read -r calls stacks <<< "$options"
	record "annotate_${calls}_$stacks" --syscalls "$calls" --stacks "$stacks" -- annotate known || continue
	same "$options: each annotation, in each thread's order" "$out"
	tap_num "$options: how many" "$(wc -l < "$out")" -ge 100
	[ "$calls" = regions ] || continue
	# The call in which an annotation was made ends before it; one made inside ends inside.
	tap_is "$options: no call is open around an annotation" "" "$(sort -n -s -k 1,1 "$text" | awk '
	$4 == "UserRegion" && $7 ~ /^name=syscall\./ { open[$3] = $6 == "mode=0"; next }
	$4 ~ /^User/ && open[$3] { print "at", $1; exit }')"
	# Each has a stack that ends in the thread's name.
	tap_is "$options: each start has a stack" 0 \
		"$(grep -E ' UserTaskCreate | UserLog .*key=[^g]| UserRegion .*mode=0' "$text" |
			grep -vcE 'frames=([^ ]*;)?[^ ;]+( |$)')"
done
if [ -e annotate_regions_both.trace ]; then
	dump annotate_regions_both
	tap_is "user frames show who annotated" 2 "$(grep -E ' UserRegion .*mode=0 name=a ' "$text" |
		grep -cE 'frames=begin;nested;known;main;.*;annotate$')"
fi

# --- across sessions

mkfifo to from
annotate across < to > from &
across=$!
exec 8> to 9< from
# until_word WORD FILE: what it prints until then.
until_word() {
	local line
	while read -r -t 30 line <&9; do
		[ "$line" != "$1" ] || return 0
		echo "$line" >> "$2"
	done
	return 1
}
until_word ready none
for session in 1 2 3; do
	: > want
	gotrace start --syscalls regions 2> /dev/null
	cat /dev/gotrace > "annotate_across_$session.trace" &
	reader=$!
	echo >&8
	until_word "done" want
	echo >&8
	until_word ready want
	gotrace stop
	wait $reader
	dump "annotate_across_$session"
	same "session $session: what was begun before it does not end in it" want
	tap_num "session $session: how many" "$(wc -l < want)" -ge 8
done
exec 8>&- 9<&-
wait $across
rm -f to from none want

# --- everything at once: misuse, threads and processes that come and go

# ends_match: a region's end without its start, or not of the innermost, anywhere?
ends_match() {
	sort -n -s -k 1,1 "$text" | awk '
	$4 != "UserRegion" { next }
	$6 == "mode=0" { name[$3, depth[$3]++] = $5 " " $7; next }
	!depth[$3] || name[$3, --depth[$3]] != $5 " " $7 { print "at", $1; exit }'
}
# tasks_match: a task's end without its start?
tasks_match() {
	sort -n -s -k 1,1 "$text" | awk '
	$4 == "UserTaskCreate" { made[$5] = 1 }
	$4 == "UserTaskEnd" && !made[$5]-- { print "at", $1; exit }'
}
storm_is_legal() {
	tap_is "$1: each region's end is the innermost's" "" "$(ends_match)"
	tap_is "$1: each task's end has its start" "" "$(tasks_match)"
	for event in UserTaskCreate UserTaskEnd UserLog; do
		tap_num "$1: $event" "$(count by '.*' $event)" -ge 20
	done
}
for calls in regions off; do
	record "annotate_storm_$calls" --syscalls $calls -- annotate storm 2 $((RANDOM)) &&
		storm_is_legal "storm, $calls"
done

# Two storms that go on through two sessions, the second with buffers that are not
# enough, and a reader that does not read most of the time.
storms=()
for ((i = 0; i < 2; i++)); do
	annotate storm 40 $((RANDOM)) &
	storms+=($!)
done
record annotate_storm_first -d 1 --syscalls regions && storm_is_legal "storm, first session"
gotrace record --stacks none --syscalls regions --buffer 256K -o annotate_storm_lost.trace \
	2> /dev/null &
recorder=$!
sleep 1
for ((i = 0; i < 4; i++)); do
	kill -STOP $recorder
	sleep 1.5
	kill -CONT $recorder
	sleep 0.2
done
kill -INT $recorder
rc=0
wait $recorder || rc=$?
kill "${storms[@]}"
wait "${storms[@]}" 2> /dev/null
tap_is "storm, with losses: events are lost" 3 "$rc"
dump annotate_storm_lost
tap_num "storm, with losses: gaps" "$(grep -c 'message=lost' "$text")" -ge 4
storm_is_legal "storm, with losses"

# --- scripts

# in_order: all annotations in order of time, without threads, tasks numbered anew.
in_order() {
	said | awk '
	{ sub(/^[0-9]+ /, "") }
	$1 == "create" { name[$3] = ++n }
	{ for (i = $1 == "create" ? 3 : NF; i <= NF; i++) $i = $i in name ? name[$i] : $i; print }'
}
# shellcheck disable=SC2016	# for the shell inside
record annotate_command --syscalls regions -- gotrace annotate -t build -c phase -l first -l second -- sh -c '
	gotrace annotate --region compile -- sleep 0.01
	gotrace annotate --region fail -- sh -c "exit 5"
	echo code $?
	gotrace annotate --log inside
	gotrace annotate --task part --region link -- sh -c "kill -9 \$\$"
	echo code $?
	GOTRACE_TASK= gotrace annotate --region apart -- true'
tap_is "annotate: the commands' exit codes" "code 5 code 137" "$(grep code "$out" | xargs)"
tap_is "annotate: the trace shows it" "$(cat <<'WANT'
create build 1 0
log phase first 1
log phase second 1
begin compile 1
end compile 1
begin fail 1
end fail 1
log - inside 1
create part 2 1
begin link 2
end link 2
finish 2
begin apart 0
end apart 0
finish 1
WANT
)" "$(in_order)"
# The region is the command's own process, which slept in it.
tap_is "annotate: the command runs in its region" "begin GoSleep end" "$(sort -n -s -k 1,1 "$text" | awk '
	$4 == "UserRegion" && $7 == "name=compile" { g = $3; print $6 == "mode=0" ? "begin" : "end" }
	g && $3 == g && $4 == "GoSleep" { print $4 }' | xargs)"

# Where nobody may go; the tree is root's.
cp "$(command -v gotrace)" nobodys
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups ./nobodys"
rc=0
# shellcheck disable=SC2086	# words
$nobody annotate --region r -- sh -c 'exit 7' 2> err || rc=$?
tap_is "annotate: without permission the command runs" 7 $rc
tap_num "annotate: and it is told why" "$(grep -c 'region into the trace: Permission denied' err)" = 1
rc=0
# shellcheck disable=SC2086
$nobody annotate --log m 2> err || rc=$?
tap_is "annotate: a message alone fails" 1 $rc
rm -f err
chmod 622 /dev/gotrace
# shellcheck disable=SC2086
record annotate_as_nobody --syscalls off -- $nobody annotate --task theirs --log 'by nobody' -- true
tap_is "annotate: with permission it works for everybody" 'create theirs 1 0
log - by\x20nobody 1
finish 1' "$(in_order)"
chmod 600 /dev/gotrace
rm -f nobodys

# --- the example

record annotate_pipeline --stacks both -- "$GOTRACE_SRC/build/examples/pipeline" 30
for what in "UserTaskCreate name=order 30" "UserTaskCreate name=packing 30" \
	"UserRegion name=check 60" "UserRegion name=pack 60" "UserRegion name=ship 60" \
	"UserRegion name=pack\\\\x20item 120"; do
	read -r event name n <<< "$what"
	tap_is "pipeline: $event $name" "$n" "$(grep -cE " $event .*$name " "$text")"
done
# What both Go's pages must say of it (gocheck/pages.go), with latencies.
cat > annotate_pipeline.pages <<'PAGES'
/usertasks order 30 ([0-9.]+[mµn]?s ([0-9]+ )?)+
/usertasks packing 30 ([0-9.]+[mµn]?s ([0-9]+ )?)+
/usertask?type=order order 5 is looked at twice.*region "?pack"?
/userregions "?pack item"? (pack [^ ]*/pipeline\.c:[0-9]+|pipeline @ [^ ]+ [^ ]+) 60 [0-9.]+[mµn]?s
/userregions "?ship"? (work [^ ]*/pipeline\.c:[0-9]+|pipeline @ [^ ]+ [^ ]+) 30 [0-9.]+[mµ]s
PAGES
tap_done

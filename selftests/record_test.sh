#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gotrace record, start, stop and status, against the module.	vm: timeout=400
#
# As root, with the module loaded; the traces stay in the current folder, where
# Go's own tools judge them.
set -u
# shellcheck source=SCRIPTDIR/command.sh
. "$(dirname "$(readlink -f "$0")")/command.sh"

state() { gotrace status | sed -n 's/^state *//p'; }
# How many events of that NAME, or of that pattern for the whole line.
count() { gotrace dump "$1" | grep -c -- "$2"; }
# Wait until something is true, at most ten seconds of this machine's time.
until_true() {
	for ((i = 0; i < 100; i++)); do
		! "$@" || return 0
		sleep 0.1
	done
	echo "never true: $*" >> "$said/err"
	return 1
}
is_state() { [ "$(state)" = "$1" ]; }
# Stop and drain whatever there is.
no_session() {
	gotrace stop --no-wait > /dev/null 2>&1
	timeout 20 cat /dev/gotrace > /dev/null
}
none_left() { is "$(state)" none "state afterwards"; }
# point NAME: as ok, but what went wrong here must not be in the next one's way.
point() {
	ok "$1"
	is_state none || [ "${2:-}" = goes_on ] || no_session
}
# background COMMAND...: its pid in $pid, what it says in the same files.
background() {
	"$@" > "$said/out" 2> "$said/err" &
	pid=$!
}
# Recording is under way once the session is.
recording() { background gotrace record "$@" && until_true is_state tracing; }
# ended STATUS: the one in the background has, with that.
is_gone() { ! kill -0 "$pid" 2> /dev/null; }
ended() {
	local rc=0
	until_true is_gone || kill -KILL "$pid"
	wait "$pid" || rc=$?
	is "$rc" "$1" "exit code"
}

# ---- a command

run 0 gotrace record -o command.trace -- sh -c 'exit 0' && none_left &&
	says "command.trace: " && says " bytes an event" && says "0 kernel events lost"
point "record: a command, and a summary"
says ": $(gotrace dump command.trace | wc -l) events, "
point "record: the events counted are those in the trace"
[ "$(count command.trace ' GoCreate .*newframes=sh ')" -ge 1 ] &&
	[ "$(count command.trace ' UserRegion .*name=syscall.execve ')" -ge 1 ] &&
	[ "$(count command.trace ' GoEnd')" -ge 1 ]
point "record: the command's birth, exec and end are in the trace"
run 7 gotrace record -o status.trace sh -c 'exit 7' && none_left
point "record: the command's status, and no -- needed"
# shellcheck disable=SC2016	# for the inner shell
run 137 gotrace record -o killed.trace -- sh -c 'kill -KILL $$' && none_left
point "record: 128 + the signal that killed the command"
run 127 gotrace record -o absent.trace -- ./no-such-command && none_left &&
	says "cannot run ./no-such-command: No such file" && [ -s absent.trace ]
point "record: 127 for a command that is not there"
: > plain-file
run 126 gotrace record -o denied.trace -- ./plain-file && none_left &&
	says "cannot run ./plain-file: Permission denied"
point "record: 126 for a command that may not be run"
run 0 gotrace record -o fds.trace -- ls -l /proc/self/fd && none_left &&
	prints "/proc" && ! prints gotrace
point "record: the command inherits no file of the recorder's"
# shellcheck disable=SC2016
run 0 gotrace record -o signals.trace -- \
	sh -c 'grep -E "^Sig(Blk|Ign):" /proc/self/status' && none_left &&
	! grep -qv '0000000000000000$' "$said/out"
point "record: the command has no signal blocked or ignored"

# ---- time and signals

SECONDS=0
run 0 gotrace record -o time.trace -d 700ms && none_left && says "0 kernel events lost" &&
	[ $SECONDS -le 5 ]
point "record: -d"
SECONDS=0
run 0 gotrace record -o timed.trace -d 0.5 -- sleep 60 && none_left &&
	[ $SECONDS -le 10 ]
point "record: -d ends the command, and that is no failure"

recording -o int.trace && kill -INT $pid && ended 0 && none_left
point "record: SIGINT without a command"
recording -o term.trace && kill -TERM $pid && ended 0 && none_left
point "record: SIGTERM without a command"
recording -o forward.trace -- sleep 60 && kill -TERM $pid && ended 143 && none_left
point "record: SIGTERM goes on to the command"
# As a terminal does it, to all of the group; the command takes its time. A shell
# without job control has its background ignore SIGINT, a terminal does not.
cat > "$said/slow.sh" <<-'SH'
	trap 'sleep 0.5; echo goodbye; exit 5' INT
	while :; do sleep 0.1; done
SH
background env --default-signal=INT setsid gotrace record -o group.trace -- sh "$said/slow.sh"
until_true is_state tracing && sleep 0.5 && kill -INT -- -$pid && ended 5 &&
	none_left && prints goodbye
point "record: ^C for it and its command; it waits for the command"

# ---- where it goes

gotrace record -d 0.3 -o - 2> "$said/err" | gotrace dump - > "$said/out" &&
	prints " Gomaxprocs procs="
point "record: -o - into a pipe"
none_left
point "record: the pipe got all of it"
# status FILE COMMAND...: its exit code into FILE, for those in a pipe.
status() {
	local file=$1 rc=0
	shift
	"$@" 2> "$said/err" || rc=$?
	echo $rc > "$file"
}
gotrace record -o - -- sh -c 'echo words' 2> "$said/err" > words.trace && says words &&
	run 0 gotrace dump words.trace && none_left
point "record: -o - keeps the command's words out of the trace"
status rc gotrace record -d 5 -o - | head -c 16 > "$said/out"
is "$(cat rc)" 1 "exit code" && says "cannot write standard output: Broken pipe" && none_left
point "record: a reader of the pipe who leaves"
run 0 python3 -c 'import pty, sys
sys.exit(pty.spawn(["gotrace", "record", "-o", "-"]) >> 8 != 1)' &&
	prints "say -o FILE" && none_left
point "record: -o - refuses a terminal"
run 0 python3 -c 'import pty, sys
sys.exit(pty.spawn(["gotrace", "record", "-d", "1", "-o", "tty.trace"]) >> 8)' &&
	[ "$(tr '\r' '\n' < "$said/out" | grep -c ' s  [0-9]* events  .*  0 lost')" -ge 2 ] &&
	none_left
point "record: progress on a terminal"
! grep -q ' lost.\[K' "$said/err"
point "record: no progress elsewhere"

mkdir small && mount -t tmpfs -o size=128k small small
run 1 gotrace record -o small/cut -d 60 -- sh -c 'while :; do :; read -r x < /proc/uptime; done'
says "cannot write small/cut: No space left on device" &&
	says "cut short after " && none_left && [ "$(stat -c %s small/cut)" -ge 65536 ]
point "record: a full disk stops it at once, and what is written stays"
! pgrep -f /proc/uptime > "$said/out"
point "record: and leaves no command behind"
umount small

# A pipe that is full before we begin, and that nobody reads.
mkfifo stuck
# shellcheck disable=SC2217	# it only holds the pipe open
sleep 100 < stuck &
holder=$!
timeout 1 yes > stuck
background gotrace record -o stuck
until_true is_state tracing && kill -INT $pid && until_true is_state draining && kill -INT $pid && ended 1 &&
	says "interrupted; the trace is cut short" && is_state draining
point "record: ^C stops the trace though the output is stuck, a second one gives up" goes_on
kill $holder
gotrace start > /dev/null 2> "$said/err"
says "cannot start: Device or resource busy" && says "was not read to its end" &&
	run 0 gotrace record --discard -o discard.trace -d 0.2 && none_left
point "record: --discard drops what was left"

# ---- someone else is there

echo precious > kept.out
recording -o first.trace -- sleep 60
run 1 gotrace record -o kept.out && says "one reader at a time, now it is process $pid (gotrace)" &&
	[ "$(cat kept.out)" = precious ]
point "record: beside another, says who that is" goes_on
run 1 gotrace start && says "is being traced: 'gotrace stop' ends it"
point "start: beside another" goes_on
run 0 gotrace stop && says "0 kernel events lost" && is_state none && kill -TERM $pid && ended 143
point "stop: ends it, after its reader has got all; the command goes on"

run 0 gotrace start && run 1 gotrace record -o kept.out &&
	says "is being traced: 'gotrace stop'" && [ "$(cat kept.out)" = precious ] &&
	run 1 gotrace record -o new.out && [ ! -e new.out ]
point "record: while a session is traced, the output is not touched" goes_on
run 0 gotrace stop && run 1 gotrace record -o kept.out &&
	says "was not read to its end" && [ "$(cat kept.out)" = precious ]
point "record: while there is unread data, the output is not touched" goes_on
timeout 20 cat /dev/gotrace > started.trace && run 0 gotrace dump started.trace && none_left
point "start, stop, cat"

run 0 gotrace stop && says "nothing was being traced"
point "stop: without a session"

background timeout 60 cat /dev/gotrace
until_true test -e /proc/$pid/fd/1 && gotrace start 2> /dev/null && sleep 0.3 &&
	gotrace stop 2> /dev/null && wait $pid && cp "$said/out" live.trace &&
	run 0 gotrace dump live.trace && none_left
point "start; cat beside it; stop waits for cat"

# The reader dies; who reads next goes on where it ended.
recording -o half1 && sleep 0.5 && kill -KILL $pid
wait $pid 2> /dev/null
is_state tracing && run 0 gotrace stop && timeout 20 cat /dev/gotrace > half2 &&
	cat half1 half2 > halves.trace && rm half1 half2 &&
	run 0 gotrace dump halves.trace && none_left
point "record: killed; stop and cat save the rest"

# ---- sessions of all kinds

run 0 gotrace record --syscalls off -o off.trace -- ls / && none_left &&
	[ "$(count off.trace ' UserRegion\| GoSysCall')" = 0 ]
point "record: --syscalls off"
run 0 gotrace record --syscalls calls -o calls.trace -- ls / && none_left &&
	[ "$(count calls.trace ' UserRegion')" = 0 ] &&
	[ "$(count calls.trace ' GoSysCall .*frames=syscall.openat;.*;ls$')" -ge 1 ]
point "record: --syscalls calls"
run 0 gotrace record --format 1.19 -o v19.trace -d 0.2 && none_left &&
	[ "$(head -c 13 v19.trace)" = "go 1.19 trace" ]
point "record: --format 1.19"
for clock in tsc mono boot; do
	gotrace start --clock $clock --tables 8M --buffer 2M --idle 2> "$said/err" &&
		gotrace status > "$said/out" && grep -qx "clock *$clock" "$said/out" &&
		grep -qx 'buffers_limit *32' "$said/out" && grep -qx 'flags * idle memory' "$said/out" &&
		gotrace stop 2> "$said/err" && timeout 20 cat /dev/gotrace > clock-$clock.trace &&
		run 0 gotrace dump clock-$clock.trace
	point "start: --clock $clock, and more options"
done
run 1 gotrace start --buffer 64K && says "cannot start: Invalid argument" && none_left
point "start: a buffer that is too small"
run 1 gotrace record --tables 64K -o kept.out && says "the tables at least 1 MiB" &&
	[ "$(cat kept.out)" = precious ] && none_left
point "record: tables that are too small"

# A reader too slow for a machine too busy.
cat > "$said/busy.sh" <<-'SH'
	for i in 1 2 3; do
		( for j in $(seq 3000); do read -r x < /proc/uptime; done ) &
	done
	wait
SH
status rc gotrace record --buffer 512K -o - -- sh "$said/busy.sh" | (sleep 4; cat) > lossy.trace
is "$(cat rc)" 3 "exit code" && says " for want of an empty buffer" && none_left
point "record: events lost, exit code 3"
run 0 gotrace dump lossy.trace &&
	grep -q ' UserLog .*key=gotrace .*message=lost' "$said/out"
point "record: what was lost is in the trace"

# ---- status

gotrace start 2> /dev/null
run 0 gotrace status && prints tracing &&
	[ "$(grep -c '^[0-9]* *traced ' "$said/out")" = "$(nproc)" ]
point "status: all CPUs are traced" goes_on
run 0 gotrace status --json && python3 - "$said/out" <<-'PY'
	import json, sys
	st = json.load(open(sys.argv[1]))
	assert st["state"] == "tracing" and st["session"] > 1, st
	assert st["frequency"] > 1e6 and st["start_mono"] > 0, st
	assert {"buffer", "task", "stack", "sample"} <= set(st["lost"]) and not any(st["lost"].values()), st
	# The initial state is no CPU's.
	assert 0 < sum(c["events"] for c in st["cpus"]) < st["events"], st
PY
point "status: --json" goes_on
no_session
run 0 gotrace status --json && python3 - "$said/out" <<-'PY'
	import json, sys
	st = json.load(open(sys.argv[1]))
	assert st["state"] == "none" and st["events"] == 0, st
PY
point "status: --json without a session"

# ---- the module

rmmod gotrace
run 1 gotrace status && says "The module is not loaded" && run 1 gotrace stop
ok "no module: status and stop do not load it"
GOTRACE_KO=/proc/uptime run 1 gotrace record -o kept.out &&
	says "cannot load /proc/uptime" && [ "$(cat kept.out)" = precious ]
ok "no module: a file that is none"
[ -d /sys/module/gotrace ] || run 0 gotrace record -o loaded.trace -d 0.2 &&
	[ -d /sys/module/gotrace ] && none_left
ok "no module: record loads it from \$GOTRACE_KO"

tap_done

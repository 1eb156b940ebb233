#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A flight recorder: what it holds is a trace that Go's parsers take, up to the moment
# of the snapshot, as often as one is asked for, while buffers, tasks and CPUs come and
# go, and its memory does not grow.
# vm: timeout=150
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/command.sh
. "$here/command.sh"

status() { gotrace status | sed -n "s/^$1  *\([^ ]*\).*/\1/p"; }
# What is known to have been done just before is at its end.
mark() { gotrace annotate --log "mark-$1"; }
snapshot() {
	mark "$1"
	tap_run "$1: a snapshot" gotrace snapshot -o "snapshot_$1.trace"
	tap_num "$1: the last moment is in it" "$(grep -ac "mark-$1" "snapshot_$1.trace")" -ge 1
	tap_num "$1: and not it alone" "$(stat -c %s "snapshot_$1.trace")" -ge 16384
}
# But who only ended.
named() {
	gotrace dump "snapshot_$1.trace" > "$said/text"
	tap_num "$1: tasks have names" \
		"$(grep GoCreate "$said/text" | grep -c 'newframes=?')" -le 2
}

min=$((12 * 65536))
run 1 gotrace snapshot && says "gotrace start --overwrite"
ok "without a flight recorder"

# ---- Before the first buffer is overwritten, and after ----

storm -w 2 -t 100000 fork thread exec > /dev/null &
load=$!
tap_run "start" gotrace start --overwrite --buffer 8M -F 199
snapshot young
run 1 cat /dev/gotrace && says busy
ok "it cannot be read"
gotrace stop 2> /dev/null
run 0 gotrace snapshot -o snapshot_stopped.trace
ok "when it has been stopped"
gotrace stop --discard 2> /dev/null
tap_is "discarded" none "$(status state)"

tap_run "start with little memory" \
	gotrace start --overwrite --buffer $min --stacks both -F 199
pair pipe 0 1 2000 > /dev/null
for n in 1 2; do
	pair pipe 0 1 200 > /dev/null
	snapshot "wrapped$n"
done
named wrapped2
for ((i = 0; i < 60; i++)); do
	[ "$(status bytes_produced)" -lt $((min * 4)) ] || break
	pair futex 0 1 500 > /dev/null
done
tap_num "more was written than it can hold" "$(status bytes_produced)" -gt $((min * 2))
tap_is "nothing is lost" 0 "$(status lost_buffer)"
tap_num "no more memory" "$(($(status buffers_empty) + $(status buffers_full) + \
	$(status buffers_inuse)))" -le $((min / 65536))

# ---- While CPUs, and the buffers, go ----

cpu1=/sys/devices/system/cpu/cpu1/online
for n in 0 1; do
	echo $n > $cpu1
	pair pipe 0 0 500 > /dev/null
	snapshot "cpu$n"
done
tap_run "more memory" gotrace resize 2M
pair pipe 0 1 3000 > /dev/null
snapshot resized
tap_run "less memory" gotrace resize $min
snapshot shrunk
gotrace stop 2> /dev/null
run 0 gotrace snapshot -o snapshot_end.trace
ok "at the end"
gotrace stop --discard 2> /dev/null

# ---- For long: states and names are used again ----

kill $load
tap_run "start, with few tables" \
	gotrace start --overwrite --buffer $min --tables 2M --stacks both
for ((i = 0; i < 5; i++)); do
	storm -w 2 -t 500 fork > /dev/null
	bytes[i]=$(status table_bytes)
done
echo "# tasks: $(status tasks), table bytes: ${bytes[*]}"
tap_is "no task was left out" 0 "$(status lost_task)"
tap_num "tables do not grow with the tasks" $((bytes[4] - bytes[3])) -le 131072
snapshot long
named long
gotrace stop --discard 2> /dev/null
tap_done

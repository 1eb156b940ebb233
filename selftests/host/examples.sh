#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The scripts in tools/examples, on a trace of which all answers are known.
set -u

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
# shellcheck source=SCRIPTDIR/../command.sh
. "$here/../command.sh"
ex=$top/tools/examples
trace=$PWD/examples.trace

# answers NAME SCRIPT ARGUMENT... <WANTED: its output, without regard for blanks.
answers() {
	local name=$1 script=$2
	shift 2
	tr -s ' ' | sed 's/^ //' > "$said/wanted"
	run 0 "$ex/$script" "$trace" "$@" && tr -s ' ' < "$said/out" | sed 's/^ //' |
		diff "$said/wanted" - >> "$said/err"
	ok "$name"
}

python3 "$here/examples_trace.py" "$trace" || exit 1
run 0 gotrace dump --order time "$trace"
ok "the trace is one"

answers "which task made mine wait" who-made-it-wait.sh player <<-'OUT'
	total ms times longest asleep in woken by
	10.000 3 5.000 clock_nanosleep an interrupt
	6.000 1 6.000 recvfrom server/12
	5.000 1 5.000 GoWaiting an interrupt
OUT
answers "the same by id" who-made-it-wait.sh 12 <<-'OUT'
	total ms times longest asleep in woken by
	25.000 1 25.000 GoWaiting an interrupt
	3.500 1 3.500 GoBlock an interrupt
OUT
answers "which system call is slow" slow-calls.sh <<-'OUT'
	total ms calls longest at ms call by
	18.500 3 8.000 14.000 clock_nanosleep player/10
	10.000 1 10.000 23.000 recvfrom player/10
OUT
answers "which is in that task" slow-calls.sh hog <<-'OUT'
	total ms calls longest at ms call by
OUT
answers "who was ready and did not run" late-wakeups.sh 2 <<-'OUT'
	waited ms at ms task cpu after
	12.000 34.000 player/10 1 server/12
	2.000 30.000 player/10 1 server/12
OUT
answers "what ran then" what-ran.sh 30 50 <<-'OUT'
	cpu ms task
	0 20.000 100.0% hog/11
	1 11.000 55.0% server/12
	1 4.000 20.0% player/10
OUT
answers "what was with the late frame" late-frames.sh player clock_nanosleep 10 <<-OUT
	player/10: 25.000 ms, from 22.000 to 47.000
	5.000 ms running
	6.000 ms asleep in recvfrom
	14.000 ms ready
	$ex/what-ran.sh $trace 22.000 47.000
	1 of 3 turns took longer than 10 ms
OUT

for s in "$ex"/*.sh; do
	run 2 "$s" && says "${s##*/} TRACE"
	ok "${s##*/}: says how it is used"
done
head -c 200 "$trace" > "$said/cut"
run 1 "$ex/slow-calls.sh" "$said/cut" && says "gotrace dump: $said/cut: "
ok "a broken trace is no answer"
tap_done

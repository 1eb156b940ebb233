# SPDX-License-Identifier: GPL-2.0
# For the scripts here, before their own rules: what every task does, from the lines
# of `gotrace dump --order time`. At a line where a task changes what it does,
#
#	G		is the task's id
#	was, now	running, ready (to run), asleep, gone; "" before the first
#	took		how long it was so before, in ms
#	why		in which call it was asleep, else the event that says so
#	waker		at the end of a sleep, the task that ended it; 0 is none
#	cpu[G]		where it runs, or ran last
#
# and at every line t is its time in ms.

# The value of KEY= in this line; "" where there is none.
function val(key,	i) {
	for (i = 5; i <= NF; i++)
		if (index($i, key "=") == 1)
			return substr($i, length(key) + 2)
	return ""
}

function who(g) { return g ? name[g] "/" g : "an interrupt" }

# Is g the task that was asked for, by id or by name?
function is(g, task) { return g != "" && (g == task || name[g] == task) }

function change(g, to) {
	G = g
	was = state[g]
	now = state[g] = to
	took = t - since[g]
	since[g] = t
}

# A call is a frame that is called syscall.NAME.
function call(	frames) {
	frames = val("frames")
	if (match(frames, /syscall\.[^;]*/))
		return substr(frames, RSTART + 8, RLENGTH - 8)
	return ""
}

function sleep(g, reason) {
	change(g, "asleep")
	asleep_in[g] = reason
}

{ t = $1 / 1e6; G = was = now = why = waker = "" }

$4 == "GoCreate" {
	frames = val("newframes")
	sub(/.*;/, "", frames)
	g = val("newg")
	name[g] = frames == "" ? "?" : frames
	change(g, "ready")
}
$4 == "GoStartLabel" { name[$3] = val("label") }
$4 == "GoStart" || $4 == "GoStartLocal" || $4 == "GoStartLabel" {
	change($3, "running")
	cpu[$3] = $2
}
$4 == "GoSched" || $4 == "GoPreempt" { change($3, "ready") }
$4 == "GoEnd" { change($3, "gone") }
# Of a sleep that cannot be interrupted, the event before it says where.
$4 == "GoSysCall" { last_call[$3] = call() }
$4 == "GoSysBlock" { sleep($3, last_call[$3] == "" ? $4 : last_call[$3]) }
$4 ~ /^GoBlock|^GoSleep$|^GoStop$|^GoWaiting$|^GoInSyscall$/ {
	reason = call()
	sleep($3, reason == "" ? $4 : reason)
}
$4 ~ /^GoUnblock|^GoSysExit$/ {
	change(val("g"), "ready")
	why = asleep_in[G]
	waker = $4 == "GoSysExit" ? 0 : $3
}

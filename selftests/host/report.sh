#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gotrace report: every figure of a trace that is known by hand (report_trace.py); of
# any other, the same sums made from its events (report_check.py), and Go's own of its
# goroutines. Needs no module and no guest. TAP on stdout.
set -u

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
# shellcheck source=SCRIPTDIR/../command.sh
. "$here/../command.sh"
tmp=$said
trace=$PWD/report.trace

goprint=$("$top/selftests/goprint/build.sh") || { echo "Bail out! cannot build goprint"; exit 1; }
canned=$("$top/selftests/fetch/fetch.sh" go 1.21)/src/internal/trace/testdata
make -s -C "$top/tools" sanitize > /dev/null || exit 1
san=$top/build/san/gotrace
python3 "$here/report_trace.py" "$trace" || exit 1

# report STATUS OPTION...: as JSON.
report() {
	local want=$1
	shift
	run "$want" "$san" report --json "$@" "$trace" && ! grep -qE 'Sanitizer|runtime error' "$tmp/err"
}

# row NAME ROW KEY VALUE FIELD=VALUE...: in the report, in the row of that kind whose KEY
# is VALUE, the fields are these. Times are in ms.
row() {
	python3 - "$tmp/out" "${@:2}" > "$tmp/err" <<-'PY'
		import json, sys
		kind, key, value = sys.argv[2:5]
		rows = [json.loads(line) for line in open(sys.argv[1])]
		rows = [r for r in rows if r["row"] == kind and str(r.get(key)) == value]
		bad = [f"{len(rows)} rows of {kind} {value}"] if len(rows) != 1 else []
		for field in sys.argv[5:]:
		    name, want = field.split("=", 1)
		    for r in rows:
		        got = r[name + "_ns"] if name + "_ns" in r else r[name]
		        if name + "_ns" in r and got is not None:
		            got = f"{got / 1e6:g}"
		        if str(got) != want:
		            bad.append(f"{kind} {value}: {name} is {got}, not {want}")
		print("\n".join(bad))
		sys.exit(len(bad) > 0)
	PY
	ok "$1"
}

report 3
ok "events were lost, says the exit code"
row "the trace" trace row trace from=0 to=40 end=40 kernel=1 cpus=2 tasks=4 lost_events=7 losses=1 \
	lost=6 gcs=1 gc=2 gc_max=2 reclaims=1 reclaim=4 reclaim_max=4 stops=1 stop=0.5 stop_max=0.5
row "a task that wants to run" task id 11 name=hog life=40 running=28 running_percent=70.0 \
	runnable=5 asleep=0 asleep_mostly=None untraced=7 waits=1 wait_p50=1 wait_max=1 wait_max_at=20 \
	wait_max_cpu=1 wait_max_held_by=None wait_max_held=None runs=3 sleeps=0 yields=0 preempts=2 \
	migrations=1 woken=0 wakes=0 calls=0
row "a task that sleeps, and reclaims" task id 10 name=player life=40 running=14.5 \
	runnable=10 asleep=15.5 asleep_mostly=net untraced=0 waits=4 wait_max=3.5 wait_max_at=17 \
	wait_max_cpu=0 wait_max_held_by=11 wait_max_held_by_name=hog wait_max_held=3 \
	sleep_net=6 sleeps_net=1 sleep_net_max=6 sleep_gc=2 sleeps_gc=1 sleep_gc_max=2 \
	sleep_sync=3.5 sleeps_sync=1 sleep_sync_max=0 sleep_before=4 sleep_sleep=0 \
	runs=5 sleeps=3 yields=0 preempts=1 migrations=1 woken=4 woken_by_irq=2 wakes=0 calls=2 \
	reclaims=1 reclaim=4 reclaim_max=4
row "a task that wakes" task id 12 name=server life=40 running=10 runnable=4.5 asleep=25.5 \
	asleep_mostly=other waits=4 wait_p99=2 wait_max=2 wait_max_at=15 wait_max_cpu=1 \
	wait_max_held_by=10 wait_max_held=1.5 sleep_syscall=0.5 sleeps_syscall=1 sleep_other=12 \
	sleeps_other=1 sleep_other_max=0 sleep_sleep=4 sleep_select=1 sleeps_select=1 sleep_select_max=0 \
	sleep_before=8 runs=5 sleeps=4 yields=1 preempts=0 migrations=2 woken=4 woken_by_irq=2 wakes=2 \
	calls=2 reclaims=0
row "a task that came and went" task id 13 'name=a "child"' life=6 running=2 runnable=4 asleep=0 \
	waits=0 wait_p50=None wait_max=None runs=1 wakes=1
row "a name is its tasks" comm name server tasks=1 life=40 running=10 waits=4 wait_max_held_by=10 woken=4
row "CPU 0" cpu cpu 0 running=32.5 running_percent=81.25 idle=6.5 stopped=1 waits=2 wait_max=3.5 \
	wait_max_id=10 runs=5 yields=0 preempts=1 migrations=2 wakes=4 lost_events=0 lost=0
row "CPU 1" cpu cpu 1 running=22 idle=11 stopped=7 waits=7 wait_max=2.5 wait_max_at=13 \
	wait_max_id=10 wait_max_held_by=12 wait_max_held=2 runs=9 yields=1 preempts=2 migrations=2 \
	wakes=4 lost_events=7 lost=6
row "a call" syscall name recvfrom calls=1 total=10 call_p50=10 call_max=10 call_max_at=6 \
	call_max_id=10 asleep=6 asleep_percent=60.0 sleeps=1
row "a call with a disk" syscall name read calls=1 total=2 call_max=2 asleep=0.5 sleeps=1
row "a call that did not sleep" syscall name sendto calls=1 total=2 asleep=0 sleeps=0
row "a call while events were lost" syscall name futex calls=1 total=8 call_max=None asleep=3.5
row "sleeps of a stack" stack stk 41 reason=net asleep=6 sleeps=1 sleep_max=6 sleep_max_at=7 \
	sleep_max_id=10 "frames=['syscall.recvfrom', 'player']"
row "sleeps in reclaim" stack stk 47 reason=gc asleep=2 sleeps=1 sleep_max=2
row "a sleep while events were lost" stack stk 45 reason=sync asleep=3.5 sleeps=1 sleep_max=None
row "sleeps from before" stack reason before asleep=12 sleeps=0
sed -i 's/"waker":\([^,]*\),\(.*\)"woken":\([0-9]*\),/"pair":"\1 \3",\2/' "$tmp/out"
row "who woke whom" waker pair '12 10' wakes=2 asleep=9.5 wait=5 wait_max=2.5 wait_max_at=13
row "a child that woke" waker pair '13 12' wakes=1 asleep=4 wait=1 wait_max=1
row "whom an interrupt woke" waker pair 'null 10' wakes=2 'waker_name=an interrupt' asleep=6 wait=1.5

# A window: times are cut, things are counted where they are.
report 3 --by task --from 16ms --to 22ms
row "in a window, a task" task id 10 life=6 running=2.5 runnable=3.5 asleep=0 waits=1 wait_max=3.5 \
	runs=1 preempts=1 yields=0 woken=0
row "in a window, one that wakes" task id 12 life=6 running=1 runnable=1 asleep=4 waits=1 \
	wait_max=2 runs=1 sleeps=1 sleeps_other=1 sleep_other=4 sleep_other_max=0
row "in a window, the trace" trace row trace from=16 to=22 end=40 tasks=3
report 3 --by cpu --from 28ms --to 34ms
row "in a window, a CPU that was dark" cpu cpu 1 running=0 idle=0 stopped=6 lost=6
report 3 --by cpu --to 28ms
row "in a window, one that was not yet" cpu cpu 1 stopped=1 lost=0
report 3 --by cpu --from 0.000065 --to 0.031740 && prints '"from_ns":65000,"to_ns":31740000,'
ok "a window, to the nanosecond"
report 1 --from 41ms && says "report.trace: the trace ends before --from"
ok "a window behind the end"

report 3 --task hog --by task && is "$(grep -c '"row":"task"' "$tmp/out")" 1 "tasks" && prints '"id":11,'
ok "a task by its name"
report 3 --task 10 --by syscall && is "$(grep -c '"row":"syscall"' "$tmp/out")" 2 "calls" && prints futex && prints recvfrom
ok "a task's calls"
report 3 --task 13 --by waker && is "$(grep -c '"row":"waker"' "$tmp/out")" 1 "pairs" && prints '"waker":13,'
ok "a task and whom it woke"
report 3 --task nobody --by task && is "$(wc -l < "$tmp/out")" 1 "rows"
ok "no such task: no rows"

order() { sed -n "s/.*\"row\":\"task\",\"id\":\([0-9]*\).*/\1/p" "$tmp/out" | paste -sd' '; }
report 3 --by task && is "$(order)" "11 10 12 13" "by running time"
ok "sorted by what counts most"
report 3 --by task --sort wait_max_ns && is "$(order)" "10 12 11 13" "by the longest wait"
ok "sorted by another column, what has none last"
report 3 --by task --sort name && is "$(order)" "13 11 10 12" "by name"
ok "sorted by a text"
report 3 --by task --sort id --top 2 && is "$(order)" "10 11" "by id, two of them"
ok "sorted by an id, and cut"

# From player's sleeps back.
report 3 --wakeups 10
ok "wake-ups"
row "a sleep and who ended it" sleep at_ns 7000000 asleep=6 reason=net call=syscall.recvfrom doubtful=False
pieces() {
	python3 - "$tmp/out" "$1" <<-'PY'
		import json, sys
		for r in map(json.loads, open(sys.argv[1])):
		    if r["row"] == "sleep" and r["at_ns"] == int(sys.argv[2]):
		        print("; ".join(f"{p['id']} {p['what']} {p['ns'] / 1e6:g} {p['call'] or '-'}" for p in r["pieces"]))
	PY
}
tap_is "what was done meanwhile" "12 running 2.5 syscall.sendto; 12 runnable 0.5 -; 12 asleep 0.5 syscall.read; 12 running 1 -; 12 runnable 0.5 -; 12 asleep 1 -" \
	"$(pieces 7000000)"
tap_is "a sleep that an interrupt ended" "10 asleep 2 -" "$(pieces 22000000)"
sed -i 's/"id":\([0-9]*\),"name":"[^"]*","what":\("[a-z]*"\)}/"id":\1,"what":\2,"who":"\1 \2"}/; s/"who":"\([0-9]*\) "\([a-z]*\)""/"who":"\1 \2"/' "$tmp/out"
row "in all, a waker that ran" blame who '12 running' total=4 pieces=3
row "a waker that waited" blame who '12 runnable' total=1.5 pieces=3
row "a waker that slept" blame who '12 asleep' total=4 pieces=3
row "the task's own" blame who '10 asleep' total=6 pieces=2
report 3 --wakeups 12
tap_is "a waker that was made in time" "13 running 1 syscall.write; 13 runnable 3 -" "$(pieces 33000000 | sed 's/running 1 -/running 1 syscall.write/')"
report 3 --wakeups 10 --top 1 && is "$(grep -c '"row":"sleep"' "$tmp/out")" 1 "sleeps" && prints '"at_ns":7000000,'
ok "the longest sleep"
report 1 --wakeups 99 && says "no task with the id"
ok "wake-ups of nobody"

# The other formats say the same.
same_csv() {
	report 3 --by "$1" && mv "$tmp/out" "$tmp/json" &&
		run 3 "$san" report --by "$1" --csv "$trace" &&
		python3 - "$tmp/out" "$tmp/json" >> "$tmp/err" <<-'PY'
			import csv, json, sys
			a = list(csv.DictReader(open(sys.argv[1])))
			b = [json.loads(line) for line in open(sys.argv[2])][1:]
			def cell(v):
			    return "" if v is None else ";".join(v) if isinstance(v, list) else \
			        f"{v:.3f}" if isinstance(v, float) else str(v)
			for r in b:
			    del r["row"]
			assert [[cell(v) for v in r.values()] for r in b] == [list(r.values()) for r in a], (a, b)
			assert a and list(a[0]) == list(b[0])
		PY
}
for by in task comm cpu syscall stack waker; do
	same_csv $by
	ok "--by $by: CSV is as JSON"
	run 3 "$san" report --by $by "$trace"
	ok "--by $by: a table"
done
for width in 60 80 120; do
	for what in "" "--by task" "--by syscall" "--by stack" "--by waker" "--by cpu"; do
		# shellcheck disable=SC2086	# two words or none
		COLUMNS=$width run 3 "$san" report $what "$trace"
		# But for the sentences at its top.
		awk -v w=$width 'NR > 6 && length($0) > w { bad = 1; print } END { exit bad }' "$tmp/out" >> "$tmp/err"
	done
	ok "tables fit into $width columns"
done
COLUMNS=60 run 3 "$san" report --by task --sort wakes "$trace" && prints WAKES
ok "what is sorted by is not left out"
run 3 "$san" report "$trace" && prints "7 kernel events lost in 6.00ms" &&
	prints "direct reclaim: 1 time, 4.00ms, the longest 4.00ms at 0.021000s" &&
	grep -q '^10  player  3.50ms  0.017000s    0       11  hog  *3.00ms$' "$tmp/out" &&
	grep -q '^recvfrom  *1  10.0ms .* 6.00ms    60.0%' "$tmp/out"
ok "the overview"
run 3 "$san" report --wakeups 10 --top 1 "$trace" && prints "player/10 slept 4 times, 15.5ms in all" &&
	prints "server/12 running, woke the one above in syscall.sendto"
ok "wake-ups for people"

run 3 "$san" report --json - < <(cat "$trace") && mv "$tmp/out" "$tmp/pipe" && report 3 &&
	cmp "$tmp/out" "$tmp/pipe"
ok "standard input"
head -c 300 "$trace" > "$tmp/cut"
run 1 "$san" report "$tmp/cut" && says "gotrace report: $tmp/cut: offset" && [ ! -s "$tmp/out" ]
ok "a broken trace has no report"
run 1 "$san" report /nonexistent && says "No such file"
ok "no file"
while read -r text options; do
	# shellcheck disable=SC2086	# words
	run 2 "$san" report $options && says "${text//_/ }"
	ok "wrong usage: $options"
done <<-'USAGE'
	which_trace?
	what_to_do a b
	takes_one_of_task,_comm --by cat x
	has_no_column --by cpu --sort wakers x
	for_one_table:_say_which --sort wakes x
	for_one_table:_say_which --csv x
	must_be_before_--to --from 5ms --to 4ms x
	takes_the_id_of_a_task --wakeups me x
	not_for_--wakeups --wakeups 1 --by task x
	its_task_already --wakeups 1 --task 1 x
	more_than_a_table --wakeups 1 --csv x
USAGE

# Others: the sums again, and Go's. What Go's reader refuses is none of these.
checks() {
	run 0 "$goprint" -stats "$1" && mv "$tmp/out" "$tmp/stats" &&
		run 0 "$san" dump --order time --json "$1" && mv "$tmp/out" "$tmp/dump" || return
	"$san" report --json "$1" > "$tmp/report" 2> "$tmp/err"
	[ $? = "${2:-0}" ] && ! grep -qE 'Sanitizer|runtime error' "$tmp/err" &&
		run 0 python3 "$here/report_check.py" "$tmp/dump" "$tmp/report" "$tmp/stats"
}
checks "$trace" 3
ok "the known trace's sums"
"$goprint" -make 2000 "$tmp/go.trace"
for t in "$canned"/*_good "$tmp/go.trace" "$top"/selftests/cases/good/*.trace; do
	checks "$t"
	rc=$? figures=$(cat "$tmp/out")
	(exit "$rc")
	ok "sums, and Go's own, of ${t##*/}: $figures"
done
mkdir "$tmp/made"
python3 "$here/order_traces.py" "$tmp/made" "${SEED:-1}" "${N:-40}"
good=0 bad=0
for t in "$tmp"/made/*.trace; do
	if ! "$goprint" -stats "$t" > /dev/null 2>&1; then
		run 1 "$san" report "$t" || bad=$((bad + 1))
	elif checks "$t"; then
		good=$((good + 1))
	else
		bad=$((bad + 1))
		cp "$t" .
	fi
done
tap_num "made-up traces: sums, and Go's own" $good -gt 20
tap_is "made-up traces that are told wrong" 0 $bad

# The pieces of each sleep make it up, and all of them what tasks slept.
pieces_add_up() {
	"$san" report --json --by task "$1" > "$tmp/report"
	sed -n 's/.*"row":"task","id":\([0-9]*\),.*/\1/p' "$tmp/report" | while read -r id; do
		"$san" report --json --wakeups "$id" "$1" 2>> "$tmp/err"
		echo "{\"row\":\"end\",\"id\":$id}"
	done > "$tmp/out"
	python3 - "$tmp/report" "$tmp/out" >> "$tmp/err" <<-'PY'
		import json, sys
		asleep = {r["id"]: r["asleep_ns"] for r in map(json.loads, open(sys.argv[1])) if r["row"] == "task"}
		sleeps = blame = n = deep = 0
		for r in map(json.loads, open(sys.argv[2])):
		    if r["row"] == "sleep":
		        assert sum(p["ns"] for p in r["pieces"]) == r["asleep_ns"], r
		        sleeps += r["asleep_ns"]
		        n += 1
		        deep += len(r["pieces"]) > 2
		    elif r["row"] == "blame":
		        blame += r["total_ns"]
		    else:
		        # What has not ended is in neither.
		        assert sleeps == blame <= asleep.pop(r["id"]), r
		        sleeps = blame = 0
		assert n > 50 and deep > 5 and not asleep, (n, deep)
	PY
}
for t in "$canned/stress_1_19_good" "$canned/http_1_5_good" "$tmp/go.trace"; do
	pieces_add_up "$t" && ! grep -qE 'Sanitizer|runtime error' "$tmp/err"
	ok "wake-ups: pieces make up sleeps, in ${t##*/}"
done

# The judge sees what is wrong.
seen() {
	"$san" report --json "$canned/http_1_19_good" > "$tmp/report"
	sed -i "$1" "$tmp/report"
	! python3 "$here/report_check.py" "$tmp/dump" "$tmp/report" "$tmp/stats" > "$tmp/err"
}
checks "$canned/http_1_19_good"
seen '2s/"running_ns":[0-9]/&1/' && seen '2s/"runs":/&1/' && seen '3s/"sleep_net_ns":/&1/' &&
	seen '/"row":"cpu"/s/"idle_ns":/&1/' && seen '2d' && seen '/"row":"waker"/s/"wakes":/&1/'
ok "a figure that is wrong is noticed"

tap_done

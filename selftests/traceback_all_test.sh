#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gotrace stacks: which tasks it shows, to whom, while they come and go.
# vm: timeout=400
set -u
# shellcheck source=SCRIPTDIR/traceback.sh
. "$(dirname "$0")/traceback.sh"

began=$SECONDS
hex='0x[0-9a-f]+'
start ./naps sleep
first=$tid
asleep "$first"

# ---- Who is there

truth() { for t in /proc/[0-9]*/task/[0-9]*; do echo "${t##*/}"; done | sort -n; }
shown() { sed -n 's/^task \([0-9]*\) .*/\1/p' "$said/out" | sort -n; }
for _ in 1 2 3 4 5; do
	truth > "$said/before"
	run 0 gotrace stacks -a
	shown > "$said/shown"
	truth > "$said/after"
	# all that were there before and after, each once
	comm -12 "$said/before" "$said/after" | comm -23 - "$said/shown" > "$said/missing"
	[ -s "$said/missing" ] || break
done
[ ! -s "$said/missing" ] && [ -z "$(uniq -d "$said/shown")" ] && [ "$(grep -c '"\[kthreadd\]"' "$said/out")" = 1 ]
ok "-a: all tasks there are, each once"
run 0 gotrace stacks && ! grep -q '^task [0-9]* "\[' "$said/out" && grep -q '^task 1 ' "$said/out"
ok "no kernel threads without -a"
run 0 gotrace stacks -p 2 && prints 'task 2 "[kthreadd]" ['
ok "but one that is asked for"
run 1 gotrace stacks -p 2,4194303 && says "there is no task 4194303" && prints 'task 2 '
ok "a PID that is nobody's"

start_sleepers 500
run 0 gotrace stacks --json && python3 - "$said/tids" "$said/out" << 'PY' 2>> "$said/err"
import json, sys
tids = [int(l) for l in open(sys.argv[1]) if l.strip()]
tasks = [json.loads(l) for l in open(sys.argv[2])]
by = {t["tid"]: t for t in tasks}
assert len(by) == len(tasks) and len(tids) == 500
reasons = ["receive", "lock", "poll", "poll", "sleep", "receive", "network", "wait"]
for i, tid in enumerate(tids):
    t = by[tid]
    assert t["state"] == "asleep" and t["reason"] == reasons[i % 8] and len(t["frames"]) > 5, t
PY
ok "500 sleepers"
exec 9>&-

# whole FILE: a text in which every task is complete.
whole() {
	python3 - "$1" << 'PY'
import json, sys
n = 0
seen = set()
for line in open(sys.argv[1]):
    t = json.loads(line)
    assert t["tid"] not in seen
    seen.add(t["tid"])
    assert t["state"] == "dead" or t["frames"] or t["kernel_end"] != "root" or t["user_end"] != "root" or t["state"] in ("running", "runnable"), t
    n += 1
assert n > 5, n
PY
}
storm -w 4 fork exec vfork thread crowd signal orphan &
storm=$!
rounds=0
for _ in {1..12}; do
	if ! gotrace stacks -a --no-symbols --json > "$said/out" 2> "$said/err" || ! whole "$said/out" 2>> "$said/err"; then
		break
	fi
	rounds=$((rounds + 1))
done
is $rounds 12 "rounds"
ok "tasks that are born and die meanwhile"
gotrace record --stacks both -o storm.trace -- sh -c 'for i in 1 2 3 4; do gotrace stacks -a --no-symbols > /dev/null || exit 1; done' 2>> "$said/err"
rc=$?
[ $rc = 0 ] || [ $rc = 3 ]
ok "and while a session is tracing"
kill $storm
wait $storm 2> /dev/null

# ---- Who made it

./naps create &
old=$!
gotrace start --stacks both 2>> "$said/err"
cat /dev/gotrace > created.trace &
cat=$!
./naps create &
parent=$!
sleep 1
tid=$(pgrep -P $parent)
asleep "$tid" && text && head_is "task $tid \"st_child\" \[sleep\]:" &&
	grep -qx "created by task $parent \"st_parent\" at" "$said/out" &&
	sed -n '/^created by/,$p' "$said/out" > "$said/part" && mv "$said/part" "$said/out" &&
	has_frames raw create_b create_a main && grep -q "prog_stacks.c:$(line 'if (!raw(SYS_fork' 1 prog_stacks.c) " "$said/out"
ok "created by: the maker and its stack at the fork"
tid=$(pgrep -P $old)
text && head_is "task $tid \"st_child\" \[sleep\]:" && ! prints "created by"
ok "nobody knows who made it before the session"
gotrace stop 2>> "$said/err"
wait $cat
tid=$(pgrep -P $parent)
text && ! prints "created by"
ok "nor after it"

# ---- Rights and mistakes

run 1 setpriv --bounding-set -perfmon,-sys_admin gotrace stacks && says "CAP_PERFMON"
ok "not without CAP_PERFMON"
run 1 setpriv --reuid 65534 --clear-groups gotrace stacks && says "Permission denied"
ok "not for everybody"
for cap in syslog sys_ptrace; do
	run 1 setpriv --bounding-set -$cap gotrace stacks --debug && says CAP_SYSLOG
	ok "--debug: not without CAP_${cap^^}"
done
run 0 setpriv --bounding-set -syslog,-sys_ptrace gotrace stacks && ! grep -qE '0xffff|pc=' "$said/out"
ok "all else without them, and no address is shown"
tid=$first
text --debug && grep -qE "vmlinux \+$hex pc=0xffffffff[0-9a-f]{8}$" "$said/out" && grep -qE "prog_stacks.c:[0-9]+ \+$hex pc=0x[0-9a-f]+$" "$said/out"
ok "--debug: addresses"
run 2 gotrace stacks --depth 0 && run 2 gotrace stacks --depth 127 && run 2 gotrace stacks -p 0 && run 2 gotrace stacks -p x && run 2 gotrace stacks -p '' && run 2 gotrace stacks more
ok "what is no option"
run 1 sh -c 'gotrace stacks > /dev/full' && says "cannot write"
ok "output that cannot be written"

# ---- How long

tid=$first
while [ $((SECONDS - began)) -lt 63 ]; do sleep 1; done
text --json && python3 -c '
import json, sys
ns = json.loads(sys.stdin.readline())["asleep_ns"] / 1e9
age = float(sys.argv[1])
sys.exit(not age - 10 < ns < age + 3)' $((SECONDS - began)) < "$said/out" 2>> "$said/err"
ok "how long it sleeps"
text && head_is "task $tid \"st_sleep\" \[sleep, $(((SECONDS - began - 2) / 60)) minutes\]:"
ok "in minutes"
sleep 50 &
tid=$!
asleep $tid && sleep 1 && text && head_is "task $tid \"sleep\" \[sleep\]:"
ok "which are not said of who sleeps for less"
kill $tid

# ---- The module

rmmod gotrace
GOTRACE_KO=/nonexistent run 1 gotrace stacks && says "The module is not loaded"
ok "no module"
run 0 gotrace stacks -p "$first" --no-symbols && prints st_sleep
ok "it is loaded where it is known"

tap_done

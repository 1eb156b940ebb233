#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gotrace stacks: what it says of tasks of every kind.
# vm: timeout=400
set -u
# shellcheck source=SCRIPTDIR/traceback.sh
. "$(dirname "$0")/traceback.sh"

tab=$(printf '\t')
hex='0x[0-9a-f]+'
start ./naps sleep
first=$tid

# ---- Go's shape

# frame FN LINE: a program's frame of prog_stacks.c, as two regular expressions.
user_frames() {
	frames=()
	while [ $# -gt 0 ]; do
		frames+=("$1" "$tab$here/prog_stacks.c:$2 \+$hex")
		shift 2
	done
}
asleep "$first"
tid=$first
user_frames raw "$(line 'asm volatile("syscall"' 1 prog_stacks.c)" \
	sleep_c "$(line 'raw(SYS_nanosleep' 2 prog_stacks.c)" \
	sleep_b "$(line 'sleep_c();' 1 prog_stacks.c)" \
	sleep_a "$(line 'sleep_b();' 1 prog_stacks.c)" \
	tagged_sleep_one "$(line 'sleep_a();' 1 prog_stacks.c)" \
	main "$(line 'tagged_sleep();' 1 prog_stacks.c)"
text && sed -n '1p;/^syscall/,/prog_stacks.c:.*main/p' "$said/out" > "$said/all" &&
	awk 'NR == 1 || /^syscall/ { on = 1 } NR == 1 { print; on = 0; next } on' "$said/out" |
	awk '/^main$/ { print; getline; print; print ""; exit } { print }' > "$said/part" &&
	mv "$said/part" "$said/out" &&
	looks "task $tid \"st_sleep\" \[sleep\]:" 'syscall\.nanosleep' "${frames[@]}"
ok "a sleeper: its state, its call, functions with file and line"

text && awk '/^syscall/ { print ""; exit } { print }' "$said/out" > "$said/part" && mv "$said/part" "$said/out" &&
	grep -q "^do_nanosleep$" "$said/out" && sed -i 1d "$said/out" &&
	! sed '$d' "$said/out" | paste -d' ' - - | grep -vE "^[A-Za-z0-9_.]+ ${tab}vmlinux \+$hex$" >> "$said/err"
ok "its kernel frames: function, module and offset"

text --no-symbols && has_frames syscall.nanosleep "$(sed -n '/^naps+0x/p' "$said/out" | head -n 1)" &&
	[ "$(grep -cE "^${tab}/.*/naps \+$hex$" "$said/out")" -ge 6 ] && ! grep -q prog_stacks.c "$said/out"
ok "--no-symbols: offsets in files"
off=$(sed -n 's/^naps+\(0x[0-9a-f]*\)$/\1/p' "$said/out" | sed -n 2p)
addr2line -f -e naps "$(printf '%#x' $((off - 1)))" > "$said/addr" 2>> "$said/err"
is "$(head -n 1 "$said/addr")" sleep_c "addr2line of $off"
ok "which addr2line knows"

start ./naps inlined
asleep "$tid" && text && has_frames syscall.nanosleep raw inlined_inner inlined_outer not_inlined main
ok "inlined functions are frames"

gotrace stacks --json > "$said/out" 2> "$said/err" && python3 - "$first" "$said/out" << 'PY' 2>> "$said/err"
import json, sys
tasks = {}
for line in open(sys.argv[2]):
    t = json.loads(line)
    assert t["tid"] not in tasks, t
    tasks[t["tid"]] = t
t = tasks[int(sys.argv[1])]
assert t["name"] == "st_sleep" and t["state"] == "asleep" and t["reason"] == "sleep", t
assert not t["kernel_thread"] and t["asleep_ns"] > 0 and t["kernel_end"] == "root", t
kinds = [f["kind"] for f in t["frames"]]
assert kinds == sorted(kinds, key=["kernel", "call", "user"].index), kinds
f = [f for f in t["frames"] if f["kind"] == "user"]
assert f[1]["fn"] == "sleep_c" and f[1]["binary"].endswith("/naps") and f[1]["line"] > 1 and f[1]["build_id"], f
PY
ok "--json: an object a line"

# ---- The kernel's frames, compared with what the kernel says

# The kernel leaves the scheduler's own functions out.
compare() {
	sed 's/^\[<0>\] //; s/+0x.*//' "/proc/$1/stack" > "$said/truth" && [ -s "$said/truth" ] || return 1
	awk '/^syscall|^$/ { exit } NR > 1 && !/^\t/' "$said/out" | tail -n "$(wc -l < "$said/truth")" > "$said/ours"
	diff "$said/truth" "$said/ours" >> "$said/err"
}
start_sleepers 8
kinds=(receive:read lock:futex poll:poll poll:epoll_wait sleep:clock_nanosleep receive:accept network:accept wait:pause)
i=0
while read -r tid && [ -n "$tid" ]; do
	kind=${kinds[i]} i=$((i + 1))
	text --no-symbols && head_is "task $tid \"sleepers\" \[${kind%:*}, thread of [0-9]+\]:" && grep -qx "syscall.${kind#*:}" "$said/out"
	ok "asleep for ${kind%:*} in ${kind#*:}"
	compare "$tid"
	ok "... with the frames that /proc says"
done < "$said/tids"
is $i 8 "sleepers"
ok "all kinds were asked for"
exec 9>&-

# ---- What tasks do

taskset -c 1 ./naps sleep &
tid=$!
asleep $tid && text && head_is "task $tid \"st_sleep\" \[sleep, pinned to cpu 1\]:"
ok "pinned to a CPU"

for cpu in 0 1; do
	start_said taskset -c $cpu ./hard hog
	hog=$tid bad=0
	for _ in {1..4}; do
		gotrace stacks -p "$hog" > "$said/out" 2>> "$said/err" &&
			head_is "task $hog \"hard\" \[(running on cpu $cpu|runnable), pinned to cpu $cpu\]:" &&
			has_frames hog_inner hog_outer do_hog main || bad=$((bad + 1))
		! head_is ".*running.*" || echo run >> "$said/ran.$cpu"
	done
	is $bad 0 "bad stacks" && [ -s "$said/ran.$cpu" ]
	ok "computes on CPU $cpu: the frames it is in"
	kill "$hog"
done

start_said ./hard kernel
for _ in {1..20}; do
	text && has_frames syscall.read raw read_zeroes do_kernel main && grep -q '^ksys_read$\|^vfs_read$' "$said/out" && head_is '.*running on cpu.*' && break
done
ok "computes in the kernel"
kill "$tid"

start_said ./hard stop
text && head_is "task $tid \"hard\" \[stopped\]:" && has_frames syscall.pause
ok "stopped by a signal"
start_said ./hard traced
text && head_is "task $tid \"hard\" \[traced\]:"
ok "stopped by a debugger"
start_said ./hard zombie
text && looks "task $tid \"hard\" \[dead\]:"
ok "dead"

start_said ./hard threads
text && head_is "task $tid \"hard\" \[wait, thread of [0-9]+\]:" && has_frames syscall.pause raw sleep_low sleeper
ok "a thread by its tid"
pid=$(sed -n 's/.*thread of \([0-9]*\).*/\1/p' "$said/out")
run 0 gotrace stacks -p "$pid" && is "$(grep -c ^task "$said/out")" 2 tasks
ok "a process by its pid: all its threads"

start_said ./hard churn
good=0
for _ in {1..6}; do
	text --json && python3 -c '
import json, sys
t = json.loads(sys.stdin.readline())
fns = [f.get("fn") for f in t["frames"]]
caught = t["kernel_end"] == "root" and "main" in fns
sys.exit(not (caught or t["kernel_end"] == "changed"))' < "$said/out" 2>> "$said/err" &&
		good=$((good + 1))
done
is $good 6 "good stacks"
ok "comes and goes as fast as can be"
kill "$tid"

# ---- What cannot be looked at

start_said ./hard absent
text && has_frames syscall.pause raw '...the rest of the stack is not in memory...'
ok "a stack that is not in memory is not brought in"
start_said ./hard locked
busy=0 most=0
for _ in {1..8}; do
	before=$(date +%s%N)
	text || break
	took=$(($(date +%s%N) - before))
	[ $took -lt $most ] || most=$took
	! prints 'address space is locked' || busy=$((busy + 1))
	prints do_sys || prints pause || break
done
[ $busy -gt 0 ] && [ $most -lt 20000000000 ] && prints syscall.pause
ok "an address space that is locked is not waited for ($busy of 8)"
kill "$tid"

for how in self back unmapped kernel odd; do
	./naps fp $how &
	tid=$!
	asleep $tid
	text && has_frames syscall.nanosleep with_fp sleep_b
	ok "frame pointer: $how ends the walk"
	text --debug && grep -qE 'no frame pointer leads on|return address is none' "$said/out" &&
		grep -q '^user stack around 0x' "$said/out" && grep -qE '^0x[0-9a-f]{16}: .*>0x[0-9a-f]{16}' "$said/out"
	ok "... and --debug shows the memory there"
done
text --debug && bad=$(sed -n 's/^user stack around \(0x[0-9a-f]*\):/\1/p' "$said/out") &&
	shown=$(sed -n 's/^0x.*>\(0x[0-9a-f]*\).*/\1/p' "$said/out") &&
	is "$shown" "$(printf '%#018x' $((bad + 17)))" "the word at $bad"
ok "... the very frame pointer that was wrong"

if [ -e /proc/sys/net/core/bpf_jit_enable ]; then
	echo 1 > /proc/sys/net/core/bpf_jit_enable
	start_said ./hard bpf
	for _ in {1..40}; do
		text --debug && prints 'unwinder is not sure' && break
	done
	prints 'unwinder is not sure' && grep -q '^kernel stack around 0xff' "$said/out" && has_frames syscall.bpf
	ok "a kernel stack that the unwinder does not know"
	kill "$tid"
fi

# ---- Depth

./naps deep 200 &
tid=$!
asleep $tid
# lengths OPTION...: frames that are printed, beside the call.
lengths() { text "$@" && grep -c "^$tab" "$said/out"; }
for depth in 1 5 30 126; do
	is "$(lengths --no-symbols --depth $depth)" $depth "frames" && is "$(grep -c '^\.\.\.additional frames elided\.\.\.$' "$said/out")" $((depth == 5 || depth == 1 ? 2 : 1)) "lines about it"
	ok "--depth $depth"
done
is "$(lengths --no-symbols)" 64 frames && prints '...additional frames elided...'
ok "64 without --depth"
tid=$first
text && ! prints elided
ok "no such line where nothing was"

tap_done

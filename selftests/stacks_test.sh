#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The stacks of a program whose stacks are known.	vm: timeout=400
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/command.sh
. "$here/command.sh"

# build TAG OUTPUT OPTION...: the program, with frame pointers.
build() {
	local tag=$1 to=$2
	shift 2
	gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls \
		"-DTAG=$tag" "$@" -o "$to" "$here/prog_stacks.c" ||
		{ echo "Bail out! gcc fails"; exit 1; }
}
build one one
build one fixed-one -no-pie
build two fixed-two -no-pie
build one one.so -DLIBRARY -fPIC -shared
build two two.so -DLIBRARY -fPIC -shared

# record NAME OPTION... -- COMMAND...: its text is in $text.
record() {
	local name=$1
	shift
	text=$said/$name.text
	gotrace record -o "$name.trace" "$@" > "$said/out" 2> "$said/err" &&
		gotrace dump "$name.trace" > "$text"
}

# stacks EVENT ROOT: the stacks of events of that type whose root is that frame,
# each once, without the root.
stacks() {
	awk -v event="^($1)$" -v root=";$2" '
	$4 ~ event {
		for (i = 5; i <= NF; i++) {
			n = length($i) - length(root)
			if (substr($i, 1, 7) == "frames=" && n > 0 && substr($i, n + 1) == root)
				seen[substr($i, 8, n - 7)]
		}
	}
	END { for (s in seen) print s }' "$text"
}
# has EVENT ROOT REGEX: such a stack that looks like that from end to end.
has() {
	stacks "$1" "$2" > "$said/stacks"
	grep -qxE -- "$3" "$said/stacks" && return
	{ echo "no $1 of $2 is $3, there are"; cat "$said/stacks"; } >> "$said/err"
	return 1
}
# hasnt EVENT ROOT REGEX: none has that in it.
hasnt() {
	stacks "$1" "$2" > "$said/stacks"
	! grep -E -- "$3" "$said/stacks" >> "$said/err"
}
k='([^;]*\+0x[0-9a-f]+;)'	# a frame of the kernel

# ---- what blocks, and what wakes

record sleep -- ./one sleep &&
	has GoSleep st_sleep "$k+do_nanosleep\+0x[0-9a-f]+;$k+syscall.nanosleep;raw;sleep_c;sleep_b;sleep_a;tagged_sleep_one;main(;.*)?"
ok "nanosleep: kernel, call, user and task, in this order"
! grep -E '(frames=gt_|(=|;)__traceiter_)[a-z_]*\+0x' "$text" > "$said/err"
ok "no stack begins in the tracer"
awk '$4 == "GoBlock" || $4 == "GoSleep"' "$text" | grep -E '(;|=)kthread\+0x' | grep -vE ';\[[^];]+\]$' > "$said/err"
[ ! -s "$said/err" ] && grep -qE ';kthread\+0x[0-9a-f]+;(ret_from_fork[a-z_]*\+0x[0-9a-f]+;)*\[[^];]+\]$' "$text"
ok "kernel threads' names stand in brackets"

record pipe -- ./one pipe &&
	has GoBlockRecv st_reader "$k+(anon_)?pipe_read\+0x[0-9a-f]+;$k+syscall.read;raw;pipe_read_b;pipe_read_a;do_pipe;main(;.*)?"
ok "read from a pipe"
has 'GoUnblock|GoUnblockLocal' st_writer "$k+(anon_)?pipe_write\+0x[0-9a-f]+;$k+syscall.write;raw;pipe_write_b;pipe_write_a;do_pipe;main(;.*)?"
ok "write to a pipe: the waker's stack"

record futex -- ./one futex &&
	has GoBlockSync st_waiter "$k+futex_wait\+0x[0-9a-f]+;$k+syscall.futex;raw;futex_wait_b;futex_wait_a;do_futex;main(;.*)?"
ok "futex wait"
has 'GoUnblock|GoUnblockLocal' st_waker "$k+futex_wake\+0x[0-9a-f]+;$k+syscall.futex;raw;futex_wake_b;futex_wake_a;do_futex;main(;.*)?"
ok "futex wake: the waker's stack"

record create -- ./one create &&
	has GoCreate st_parent "$k+syscall.fork;raw;create_b;create_a;main(;.*)?"
ok "fork: the stack of who did it"
has GoSleep st_child "$k+do_nanosleep\+0x[0-9a-f]+;$k+syscall.nanosleep;raw;sleep_c;sleep_b;sleep_a;create_b;create_a;main(;.*)?"
ok "fork: the child's own stack"
grep -qE ' GoCreate .*newframes=st_child ' "$text"
ok "fork: the new stack is the child's name alone"

# ---- frame pointers that point to nothing good

# Back may be another stack, so what is there may be taken for frames.
for how in self: 'back:(;.*)?' unmapped: kernel: odd:; do
	more=${how#*:}
	how=${how%:*}
	record "fp_$how" -- ./one fp "$how" &&
		has GoSleep st_fp_frame "$k+syscall.nanosleep;with_fp;sleep_b$more" &&
		has GoSleep st_fp_value "$k+syscall.nanosleep;with_fp(;.*)?"
	ok "frame pointer: $how ends the walk and nothing else"
done

# ---- one address, many meanings

record same -- sh -c 'for i in 1 2 3; do ./fixed-one sleep & ./fixed-two sleep & done; wait' &&
	[ "$(stacks GoSleep st_sleep | wc -l)" = 2 ] &&
	has GoSleep st_sleep "$k+syscall.nanosleep;raw;sleep_c;sleep_b;sleep_a;tagged_sleep_one;main(;.*)?" &&
	has GoSleep st_sleep "$k+syscall.nanosleep;raw;sleep_c;sleep_b;sleep_a;tagged_sleep_two;main(;.*)?"
ok "two programs at the same addresses"

record exec -- sh -c 'exec ./fixed-one sleep' &&
	has GoSleep st_sleep "$k+syscall.nanosleep;raw;sleep_c;sleep_b;sleep_a;tagged_sleep_one;main(;.*)?"
ok "exec: the new program's frames"

# libc has no frame pointers: what is between dlopen's caller and the library is unknown.
record dl -- ./one dl ./one.so ./two.so ./one.so
[ "$(sort -u "$said/out" | wc -l)" = 1 ] || echo "# the libraries were not at the same address"
has GoSleep st_dl "$k+syscall.nanosleep;raw;lib_sleep_one;lib_sleep;do_dl;main(;.*)?" &&
	has GoSleep st_dl "$k+syscall.nanosleep;raw;lib_sleep_two;lib_sleep;do_dl;main(;.*)?" &&
	[ "$(stacks GoSleep st_dl | wc -l)" = 2 ]
ok "a library after another one at its address"

record short -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ./one short; done' &&
	has 'GoSleep|UserRegion' st_short "($k+)?syscall.nanosleep;raw;sleep_c;sleep_b;sleep_a;tagged_sleep_one;main(;.*)?" &&
	hasnt 'GoSleep' st_short ';one\+0x'
ok "frames of processes that were short-lived"

# ---- kinds and depth

# kinds NAME: in its file, K for kernel frames and U for user frames.
kinds() {
	gotrace dump --json "$1.trace" | python3 -c '
import json, sys
seen = set()
for line in sys.stdin:
    e = json.loads(line)
    for f in e.get("frames", []) + e.get("newframes", []):
        if "/" in f["file"]:
            seen.add("U")
        elif "+0x" in f["fn"]:
            seen.add("K")
print("".join(sorted(seen)))'
}
for kind in none: kernel:K user:U both:KU; do
	record "kind_${kind%:*}" --stacks "${kind%:*}" -- ./one sleep && is "$(kinds "kind_${kind%:*}")" "${kind#*:}" kinds
	ok "--stacks ${kind%:*}"
done
text=$said/kind_none.text
has GoSleep st_sleep syscall.nanosleep
ok "--stacks none: the call and the task"

# lengths NAME: the longest stack of the file, and the longest of st_deep.
for depth in 4 16 126; do
	record "depth_$depth" --no-symbols --depth $depth -- ./one deep 200
	gotrace dump --json "depth_$depth.trace" | python3 -c '
import json, sys
most, deep, depth = 0, set(), int(sys.argv[1])
for line in sys.stdin:
    e = json.loads(line)
    f = e.get("frames", [])
    most = max(most, len(f))
    if e["event"] == "GoSleep" and f and f[-1]["fn"] == "st_deep":
        deep.add(len(f))
print(most, deep)
sys.exit(not (most <= depth and deep and max(deep) >= depth - (depth > 64)))' $depth > "$said/out" 2>> "$said/err"
	ok "--depth $depth: a stack has that many frames, and its root"
done

# ---- addresses

# pcs NAME: the largest pc.
pcs() {
	gotrace dump --json "$1.trace" |
		python3 -c '
import json, sys
print(max(f["pc"] for l in sys.stdin for f in json.loads(l).get("frames", [])))'
}
[ "$(pcs sleep)" -lt $((1 << 32)) ] && [ "$(pcs depth_126)" -lt $((1 << 32)) ]
ok "no address is in a trace"
record raw --raw -- ./one sleep && is "$(pcs raw | sed 's/..........$//')" 1844674407 "the largest pc, its first digits" &&
	has GoSleep st_sleep "$k+do_nanosleep\+0x[0-9a-f]+;$k+syscall.nanosleep;raw;sleep_c;sleep_b;sleep_a;tagged_sleep_one;main(;.*)?"
ok "--raw: the kernel's addresses"
run 1 setpriv --bounding-set -syslog gotrace start --raw && says "Operation not permitted" && says CAP_SYSLOG
ok "--raw: not without CAP_SYSLOG"
run 0 gotrace start --raw --stacks kernel && run 0 gotrace stop &&
	run 1 setpriv --bounding-set -syslog cat /dev/gotrace && says "Operation not permitted" &&
	! [ -s "$said/out" ] && timeout 20 cat /dev/gotrace > raw_read.trace && run 0 gotrace dump raw_read.trace
ok "--raw: nor can it be read"
run 0 setpriv --bounding-set -syslog gotrace record --stacks both -o nosyslog.trace -- ./one sleep
ok "all else without CAP_SYSLOG"

# ---- names

bad=$(printf 'b\xff\xfe\xc0')
record names -- ./one name st_first st_second "$bad" '' st_last &&
	for n in st_second st_last; do
		grep -qE " GoStartLabel .* label=$n( |$)" "$text" || { echo "no $n" >> "$said/err"; false; } || break
	done
ok "a rename while running is a label"
gotrace dump --json names.trace | LC_ALL=C.UTF-8 python3 -c '
import json, sys
for line in sys.stdin:
    json.loads(line)' 2>> "$said/err"
ok "a name that is no UTF-8, and one that is empty"
LC_ALL=C grep -qaE " GoCreate .*newframes=st_last " "$text"
ok "the last name is the task's"

tap_done

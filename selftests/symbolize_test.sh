#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gotrace symbolize, and what record does by itself: functions, files and lines,
# and never a wrong one.	vm: timeout=400
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/command.sh
. "$here/command.sh"

build() {
	gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls \
		"$@" "$src" || { echo "Bail out! gcc fails"; exit 1; }
}
src=$here/prog_stacks.c

# frames FILE ROOT: of GoSleep events of that task, FUNCTION FILE:LINE a line,
# user frames only.
frames() {
	gotrace dump --json "$1" | python3 -c '
import json, sys
for line in sys.stdin:
    e = json.loads(line)
    f = e.get("frames", [])
    if e["event"] == "GoSleep" and f and f[-1]["fn"] == sys.argv[1]:
        for x in f[:-1]:
            if "/" in x["file"]:
                print(x["fn"], "%s:%d" % (x["file"], x["line"]))' "$2"
}
# line NAME: the number of the line so marked in the source.
line() { grep -n "line: $1 " "$src" | cut -d: -f1; }
shows() { grep -qxE -- "$1" "$said/frames" || { echo "no $1:"; cat "$said/frames"; false; } >> "$said/err"; }
shows_not() { ! grep -E -- "$1" "$said/frames" >> "$said/err"; }

build -o prog
run 0 gotrace record -o inlined.trace -- ./prog inlined && frames inlined.trace st_inlined > "$said/frames" &&
	shows "raw $src:[0-9]+" &&
	shows "inlined_inner $src:$(line inlined_inner)" &&
	shows "inlined_outer $src:$(line inlined_outer)" &&
	shows "not_inlined $src:$(line not_inlined)" &&
	shows "main $src:[0-9]+"
ok "functions, with file and line of the call; inlined ones too"
is "$(sed -n '/^raw/,/^main/s/ .*//p' "$said/frames" | uniq | tr '\n' ' ')" \
	"raw inlined_inner inlined_outer not_inlined main " order
ok "and in their order"

run 0 gotrace record --no-symbols -o plain.trace -- ./prog inlined && frames plain.trace st_inlined > "$said/frames" &&
	shows "prog\+0x[0-9a-f]+ $PWD/prog \[build-id [0-9a-f]{40}\]:1" && shows_not '^main '
ok "record --no-symbols"
run 0 gotrace symbolize plain.trace -o named.trace && frames named.trace st_inlined > "$said/frames" &&
	shows "not_inlined $src:$(line not_inlined)" &&
	is "$(gotrace dump --no-frames plain.trace | md5sum)" "$(gotrace dump --no-frames named.trace | md5sum)" events
ok "symbolize -o: the events stay as they are"
cp named.trace again.trace && run 0 gotrace symbolize again.trace && cmp named.trace again.trace
ok "symbolize: once is enough"
cp plain.trace place.trace && chmod 640 place.trace && ln -s place.trace link && run 0 gotrace symbolize link &&
	cmp place.trace named.trace && [ -L link ] && [ "$(stat -c %a place.trace)" = 640 ]
ok "symbolize: in place, through a link, the mode is kept"
gotrace symbolize - < plain.trace 2> "$said/err" | cmp - named.trace &&
	dd if=plain.trace status=none | gotrace symbolize - 2> "$said/err" | cmp - named.trace
ok "symbolize: a file and a pipe on standard input"
# One pc, one place.
gotrace dump --json --records named.trace | python3 -c '
import json, sys
seen = {}
for line in sys.stdin:
    e = json.loads(line)
    for f in e.get("frames", []) + e.get("newframes", []):
        at = (f["fn"], f["file"], f["line"])
        assert f["pc"] and f["line"] and f["pc"] < 1 << 32, f
        assert seen.setdefault(f["pc"], at) == at, (f, seen[f["pc"]])' 2>> "$said/err"
ok "a pc is one function, file and line"

# A stack with more frames than a record may hold, all of them not_inlined()'s.
gotrace dump --json plain.trace | python3 -c '
import json, sys
def number(v):
    b = b""
    while v >= 0x80:
        b, v = b + bytes([0x80 | v & 0x7f]), v >> 7
    return b + bytes([v])
def record(kind, *args):
    b = b"".join(number(v) for v in args)
    if len(args) < 4:
        return bytes([kind | len(args) - 1 << 6]) + b
    return bytes([kind | 3 << 6]) + number(len(b)) + b
def string(i, s):
    return b"\x25" + number(i) + number(len(s)) + s.encode()
for line in sys.stdin:
    e = json.loads(line)
    f = e.get("frames", [])
    if e["event"] == "GoSleep" and f and f[-1]["fn"] == "st_inlined":
        break
own = [x for x in f if "/prog " in x["file"]][1]
root = [3, 3, 4, 1]
BATCH, FREQUENCY, STACK, GOMAXPROCS, PROC_START, PROC_STOP = range(1, 7)
GO_CREATE, GO_START, GO_BLOCK = 13, 14, 20
sys.stdout.buffer.write(b"go 1.21 trace\0\0\0" + record(BATCH, 0, 1000) +
    record(GO_CREATE, 1, 1, 2, 0) + record(PROC_START, 1, 1) + record(GO_START, 1, 1, 1) +
    record(GOMAXPROCS, 1, 1, 0) + record(GOMAXPROCS, 1, 1, 0) +
    record(GO_BLOCK, 1000, 1) + record(PROC_STOP, 1000) + record(FREQUENCY, 1000000) +
    record(STACK, 1, 201, *(200 * [2 << 20, 1, 2, 1] + root)) + record(STACK, 2, 1, *root) +
    string(1, own["fn"]) + string(2, own["file"]) + string(3, "root") + string(4, "?"))' > long.trace 2> "$said/err" &&
	run 0 gotrace symbolize long.trace && gotrace dump long.trace > "$said/text" &&
	is "$(grep -c root "$said/text")" 2 events && grep -qE 'frames=(inlined_inner;inlined_outer;not_inlined;){50,}[a-z_;]*\.\.\.;root$' "$said/text"
ok "a stack that gets too long loses frames before its root"

# ---- files that are not what they were

offsets() {
	frames "$1" st_inlined > "$said/frames" && shows "prog\+0x[0-9a-f]+ .*prog( \[build-id .*)?:1" &&
		shows_not '^(main|raw|not_inlined|.*inlined.*|wrong.*) '
}
mv prog prog.good
sed 's/not_inlined\>/wrong_one/; s/sleep_b\>/wrong_two/' "$src" > other.c
src=other.c build -o prog
cp plain.trace replaced.trace
run 0 gotrace symbolize replaced.trace && offsets replaced.trace
ok "a program that was replaced keeps offsets"
rm prog
cp plain.trace gone.trace
run 0 gotrace symbolize gone.trace && offsets gone.trace
ok "a program that is gone keeps offsets"
mkfifo prog
cp plain.trace fifo.trace
run 0 timeout 20 gotrace symbolize fifo.trace && offsets fifo.trace
ok "a pipe in a program's place is not waited for"
rm prog
strip -o prog prog.good
cp plain.trace stripped.trace
run 0 gotrace symbolize stripped.trace && offsets stripped.trace
ok "a stripped program keeps offsets"
strip --strip-debug -o prog prog.good
cp plain.trace symtab.trace
run 0 gotrace symbolize symtab.trace && frames symtab.trace st_inlined > "$said/frames" &&
	shows "not_inlined $PWD/prog:1" && shows "main $PWD/prog:1" && shows_not inlined_inner
ok "a program without debug information gives symbols"
# By its build id, as packages of debug files have it.
id=$(readelf -n prog.good | sed -n 's/.*Build ID: //p')
dir=/usr/lib/debug/.build-id/${id:0:2}
made=$(mkdir -p "$dir" 2> /dev/null && echo yes)
if [ -n "$made" ] && objcopy --only-keep-debug prog.good "$dir/${id:2}.debug"; then
	strip -o prog prog.good
	cp plain.trace debug.trace
	run 0 gotrace symbolize debug.trace && frames debug.trace st_inlined > "$said/frames" &&
		shows "inlined_outer $src:$(line inlined_outer)"
	ok "a debug file is found by the build id"
	rm -f "$dir/${id:2}.debug"
	rmdir "$dir" 2> /dev/null
else
	tap_ok "a debug file is found by the build id # SKIP cannot write $dir"
fi

# ---- without a build id

build -Wl,--build-id=none -o noid
run 0 gotrace record -o noid.trace -- ./noid inlined && frames noid.trace st_inlined > "$said/frames" &&
	shows "not_inlined $src:$(line not_inlined)"
ok "without a build id, unchanged since: names"
run 0 gotrace record --no-symbols -o noid_changed.trace -- ./noid inlined
sleep 0.1
touch noid
run 0 gotrace symbolize noid_changed.trace && frames noid_changed.trace st_inlined > "$said/frames" &&
	shows "noid\+0x[0-9a-f]+ $PWD/noid:1" && shows_not '^main '
ok "without a build id, changed since: offsets"

# ---- what is wrong with a trace

head -c -7 plain.trace > end
cp end end.was
run 1 gotrace symbolize end && says "gotrace symbolize: end: offset " && cmp end end.was
ok "a trace that is cut is left as it is"
echo "hello, how are you" > hello
run 1 gotrace symbolize hello && says "not a Go execution trace" && is "$(cat hello)" "hello, how are you" hello
ok "no trace at all"
run 1 gotrace symbolize absent && says "cannot open absent: No such file"
ok "a file that is not there"
run 2 gotrace symbolize && run 2 gotrace symbolize a b
ok "usage"
mkdir small && mount -t tmpfs -o size=64k small small && head -c 40000 plain.trace > /dev/null &&
	cp plain.trace small/full && { yes | head -c 65536 > small/fill; } 2> /dev/null
cp small/full full.was
run 1 gotrace symbolize small/full && says "No space left" && cmp small/full full.was &&
	is "$(find small -type f | wc -l)" 2 files
ok "a full disk: the trace is left as it was, and nothing else"
umount small
for f in "$here"/cases/good/*.trace; do
	cp "$f" case
	if ! run 0 gotrace symbolize case || ! cmp case "$f" >> "$said/err"; then
		false
		break
	fi
done
ok "traces of other programs stay as they are"

# ---- Go's programs have frame pointers

for tag in 1.21 newest; do
	run 0 gotrace record -o go.trace -- "$GOTRACE_TESTS/gowork-$tag" && gotrace dump go.trace > "$said/text"
	for event in GoSleep:nap GoBlockSync:wait; do
		grep -qE " ${event%:*} .*;syscall\.[a-z]+;.*;main\.${event#*:};main\.work;main\.main\.func1;runtime\.goexit.*;gowork-" "$said/text"
		ok "Go $tag: main.work under its ${event%:*}"
	done
	mv go.trace "go-$tag.trace"
done

rm -f case end end.was hello full.was
tap_done

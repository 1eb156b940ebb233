#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gotrace repair: whatever is left of a trace, both Go's open what becomes of it. Needs
# no module and no guest. TAP on stdout.
set -u

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
cases=$top/selftests/cases
# shellcheck source=SCRIPTDIR/../command.sh
. "$here/../command.sh"
# shellcheck source=SCRIPTDIR/../gocheck/both.sh
. "$here/../gocheck/both.sh"
tmp=$said

make -s -C "$top/tools" sanitize > /dev/null || exit 1
make -s -C "$top/selftests" "$top/build/selftests/bigtrace" > /dev/null || exit 1
san=$top/build/san/gotrace
bin=$top/build/bin
canned=$("$top/selftests/fetch/fetch.sh" go 1.21)/src/internal/trace/testdata
goprint=$("$top/selftests/goprint/build.sh") || exit 1

fine() { ! grep -qE 'Sanitizer|runtime error' "$tmp/err"; }

# repair STATUS FILE: into out.trace.
repair() {
	rm -f "$tmp/out.trace"
	run "$1" "$san" repair -o "$tmp/out.trace" "$2" && fine || return
	[ "$1" != 1 ] || [ ! -e "$tmp/out.trace" ]
}

# good [-skip PAGE] FILE...: by our rules, and by both Go's.
good() {
	local skip=()
	cp "$tmp/err" "$tmp/words"
	[ "$1" != -skip ] || { skip=(-skip "$2"); shift 2; }
	run 0 "$bin/gotrace" validate -q "$@" && both_accept "${skip[@]}" "$@"
	local rc=$?
	[ $rc = 0 ] || cat "$tmp/out" >> "$tmp/words"
	cp "$tmp/words" "$tmp/err"
	return $rc
}

# pieces TRACE N DIR: its first n/N, for all n; in DIR what they become.
pieces() {
	local size n
	size=$(stat -c %s "$1")
	mkdir -p "$tmp/$3"
	for ((n = 1; n < $2; n++)); do
		head -c $((size * n / $2)) "$1" > "$tmp/cut.trace"
		repair 3 "$tmp/cut.trace" && mv "$tmp/out.trace" "$tmp/$3/$n.trace" || return
	done
}

# fuzz.sh cuts it everywhere, without asking Go.
pieces "$cases/good/full.trace" 16 full && good -skip / "$tmp"/full/*.trace
ok "full.trace, cut"
"$bin/../selftests/bigtrace" -e 30000 > "$tmp/big.trace"
pieces "$tmp/big.trace" 4 big && good "$tmp"/big/*.trace
ok "a trace like ours, cut"
for t in http_1_19_good http_1_21_good stress_1_11_good stress_1_21_good; do
	# What is cut before the first goroutine has no page to show.
	pieces "$canned/$t" 3 "$t" && good -skip /mmu "$tmp/$t"/*.trace
	ok "Go's $t, cut"
done

# What was whole stays the same to a reader.
same() {
	"$bin/gotrace" dump --order time "$1" | sed 's/Local / /; s/ seq=[0-9]*//' > "$tmp/was"
	repair 0 "$1" && says "nothing was wrong" || return
	"$bin/gotrace" dump --order time "$tmp/out.trace" | sed 's/Local / /; s/ seq=[0-9]*//' > "$tmp/is"
	cmp "$tmp/was" "$tmp/is"
}
same "$tmp/big.trace"
ok "a trace without a fault has the same events after it"

# What is said, and what is made up.
head -c 46 "$cases/good/b_oneg.trace" > "$tmp/cut.trace"
repair 3 "$tmp/cut.trace" && says "offset 46: the trace ends without a Frequency" &&
	says "kept: 7 events" && says "lost: the frequency of the clock" &&
	says "stacks and 0 strings; they are called lost.N" &&
	run 0 "$bin/gotrace" dump "$tmp/out.trace" && prints "newframes=lost.2"
ok "it says what was lost"
head -c 36 "$cases/good/b_oneg.trace" > "$tmp/cut.trace"
repair 3 "$tmp/cut.trace" && says "closed: 1 running tasks"
ok "it closes what runs"
run 3 "$san" repair --json --hz 1000 -o "$tmp/out.trace" "$tmp/cut.trace" &&
	python3 - "$tmp/out" <<-'PY' && run 0 "$bin/gotrace" dump --records "$tmp/out.trace" && prints "Frequency hz=1000"
	import json, sys
	r, = [json.loads(l) for l in open(sys.argv[1])]
	assert r["events"] == 4 and r["closed_tasks"] == 1 and not r["hz_lost"], r
	assert "without a Frequency" in r["fault"] and r["lost_bytes"] == 0, r
	PY
ok "--json, --hz"

# made NAME TRACE: NAME.trace, by the words of rules_traces.py.
made() {
	python3 - "$tmp/$1.trace" <<-PY
		import sys
		sys.path.insert(0, "$here")
		from rules_traces import *
		open(sys.argv[1], "wb").write($2)
	PY
}
# Two CPUs; of the first, the end is lost, and with it the GoUnblock that G 2 needs.
made hole 'trace(after=P1_LATER + rec(PROC_START, 1, 8) + rec(GO_START, 1, 2, 3) +
	rec(GO_SCHED, 1, 2) + rec(PROC_STOP, 1))'
repair 3 "$tmp/hole.trace" && says "lost: 1 steps of tasks that others depend on; 1 were made up" &&
	says "  the first: offset" && says "GoStart needs a G that is runnable, but G 2 is waiting" &&
	good "$tmp/out.trace" && run 0 "$bin/gotrace" dump --order time "$tmp/out.trace" &&
	is "$(awk '$4 ~ /^Go(Unblock|Start)/ && $5 == "g=2" { print $2, $4 }' "$tmp/out" | xargs)" \
		"1 GoUnblock 1 GoStartLocal" "what becomes of G 2"
ok "a step that is lost, and on which others depend, is made up"

made names 'trace(region(0, name=98) + region(1, name=99))'
repair 3 "$tmp/names.trace" && says "lost: 0 stacks and 1 strings" && good "$tmp/out.trace"
ok "a region of which both names are lost"
# Of a P, all but the beginning is lost, and with it where G 1 came from.
made stw 'trace(rec(STW_START, 1, 1), stopped=b"", after=P1_LATER + rec(PROC_START, 1, 8) +
	rec(GO_START, 1, 1, 3) + rec(STW_DONE, 1) + rec(GO_SCHED, 1, 2) + rec(PROC_STOP, 1))'
repair 3 "$tmp/stw.trace" && good "$tmp/out.trace"
ok "who stopped the world turns up elsewhere"

# A fault in the middle, impossible events, times that go back.
for name in 16_argcount_too_few 22_unknown_event_63 32_wrong_seq 34_ts_backwards_delta 44_block_not_running 46_trailing_garbage; do
	repair 3 "$cases/malformed/$name.trace" && good -skip / "$tmp/out.trace"
	ok "cases/malformed/$name"
done
for name in 00_trunc_00_empty 02_trunc_02_after_header 36_bad_header_version_1_20 40_no_batch; do
	repair 1 "$cases/malformed/$name.trace" && says "offset "
	ok "cases/malformed/$name: nothing to save"
done
mkdir "$tmp/made"
impossible() {
	local t
	python3 "$here/order_traces.py" "$tmp/made" 1 60 || return
	for t in "$tmp"/made/*.trace; do
		run 0 "$bin/gotrace" validate -q "$t"
		[ -s "$tmp/out" ] || continue
		# By all readers, not by all viewers: much else is odd about them.
		"$san" repair -o "$tmp/out.trace" "$t" > "$tmp/out" 2> "$tmp/err"
		[ $? != 1 ] && fine &&
			run 0 "$bin/gotrace" dump --order time "$tmp/out.trace" &&
			"$goprint" "$tmp/out.trace" > /dev/null 2>> "$tmp/err" || return
	done
}
impossible
ok "impossible events are left out, and what is left is possible"

# Where to.
cp "$tmp/cut.trace" "$tmp/place.trace"
chmod 600 "$tmp/place.trace"
run 3 "$san" repair -o "$tmp/place.trace" "$tmp/place.trace" &&
	run 0 "$bin/gotrace" validate -q "$tmp/place.trace" &&
	is "$(stat -c %a "$tmp/place.trace")" 600 "mode"
ok "in its own place"
run 3 "$san" repair -o - - < <(cat "$tmp/cut.trace") && cp "$tmp/out" "$tmp/out.trace" &&
	run 0 "$bin/gotrace" validate -q "$tmp/out.trace"
ok "from a pipe into a pipe"
echo kept > "$tmp/kept"
run 1 "$san" repair -o "$tmp/kept" "$cases/malformed/00_trunc_00_empty.trace" &&
	is "$(cat "$tmp/kept")" kept "the file that was there"
ok "with nothing to save, nothing is written"
run 1 "$san" repair -o /dev/full "$tmp/big.trace" && says "No space left"
ok "no room"
run 2 "$san" repair "$tmp/cut.trace" && says "Say -o FILE" && run 2 "$san" repair -o x &&
	says "which trace?" && run 2 "$san" repair --json -o - "$tmp/cut.trace"
ok "usage"

tap_done

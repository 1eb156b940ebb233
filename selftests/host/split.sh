#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gotrace split: each piece opens by itself in both Go's, and together they are the
# trace. Needs no module and no guest. TAP on stdout.
set -u

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
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

fine() { ! grep -qE 'Sanitizer|runtime error' "$tmp/err"; }

# cut OPTION... TRACE: its pieces are p/t-*.trace, which all open.
cut() {
	rm -rf "$tmp/p"
	mkdir "$tmp/p"
	run 0 "$san" split -o "$tmp/p/t.trace" "$@" && fine || return
	cp "$tmp/err" "$tmp/words"
	run 0 "$bin/gotrace" validate -q "$tmp"/p/t-*.trace && both_accept -skip /mmu "$tmp"/p/t-*.trace
	local rc=$?
	cat "$tmp/out" >> "$tmp/err"
	return $rc
}

n_pieces() { find "$tmp/p" -name 't-*.trace' | wc -l; }

# What no beginning or end of a piece makes up: time, name, P, G, and arguments but for the
# numbers of steps. Regions, GC and the like are opened and closed at the cuts.
essence() {
	"$bin/gotrace" dump --order time --ticks "$1" |
		grep -E ' (GoBlock[A-Za-z]*|GoSleep|GoPreempt|GoEnd|GoUnblock(Local)?|UserLog|CPUSample) ' |
		sed 's/Local / /; s/ seq=[0-9]*//'
}
together() {
	local t
	essence "$1" | sort > "$tmp/was"
	for t in "$tmp"/p/t-*.trace; do
		essence "$t"
	done | sort > "$tmp/is"
	[ "$(wc -l < "$tmp/was")" -gt 100 ] && diff "$tmp/was" "$tmp/is" >> "$tmp/err"
}

"$bin/../selftests/bigtrace" -e 24000 > "$tmp/big.trace"
cut --every 2ms "$tmp/big.trace" && [ "$(n_pieces)" -ge 3 ]
ok "by time: pieces open"
together "$tmp/big.trace"
ok "by time: together they are the trace"
cut --size 100K "$tmp/big.trace" && [ "$(n_pieces)" -ge 3 ]
ok "by size: pieces open"
small() { ! find "$tmp/p" -size +160k | grep -q .; }
small
ok "by size: none is much larger"
together "$tmp/big.trace"
ok "by size: together they are the trace"

for t in stress_1_19_good stress_1_21_good stress_1_11_good http_1_19_good; do
	cut --size 64K "$canned/$t" && together "$canned/$t"
	ok "Go's $t"
done

# One piece, and what was open when it begins.
python3 - "$tmp/open.trace" <<-PY
	import sys
	sys.path.insert(0, "$here")
	from rules_traces import *
	t = trace(rec(TASK_CREATE, 1, 5, 0, 3, 2) + region(0, task=5) + region(0) +
	          rec(ASSIST_START, 1, 2) + rec(GC_START, 1, 0, 2) + rec(SWEEP_START, 1, 2) +
	          rec(STW_START, 1, 1) +
	          rec(HEAP_ALLOC, 1000000, 77) +
	          rec(HEAP_ALLOC, 1000000, 78) +
	          rec(STW_DONE, 1) + rec(12, 1, 5, 5) + rec(8, 1) + rec(ASSIST_DONE, 1) +
	          region(1) + region(1, task=5) + rec(TASK_END, 1, 5, 2) +
	          rec(GO_SYSCALL, 1, 2) + rec(GO_SYSBLOCK, 1) + rec(PROC_STOP, 1) +
	          rec(PROC_START, 1, 9) + rec(GO_START, 1000000, 3, 1) + rec(GO_SCHED, 1, 2) +
	          rec(GO_SYSEXIT, 1000000, 1, 2, 0) + rec(GO_START, 1, 1, 3))
	open(sys.argv[1], "wb").write(t)
PY
# piece FROM TO
piece() { run 0 "$san" split "$@" -o "$tmp/piece.trace" "$tmp/open.trace" && fine && both_accept "$tmp/piece.trace"; }
both_accept "$tmp/open.trace"
ok "a trace with everything open opens"
piece --from 500us --to 1500us && run 0 "$bin/gotrace" dump --order time "$tmp/piece.trace" &&
	is "$(awk '$4 != "GoCreate" && $4 != "GoWaiting" && $4 !~ /Gomax|Frequency/ {
		print $4 ($4 == "UserRegion" ? substr($5, 6) : "") }' "$tmp/out" | sort | uniq -c | xargs)" \
	"1 GCDone 1 GCMarkAssistStart 1 GCStart 1 GCSweepDone 1 GCSweepStart 1 GoSched 1 GoStartLocal 1 HeapAlloc 1 ProcStart 1 ProcStop 1 STWDone 1 STWStart 1 UserRegion0 1 UserRegion5 1 UserTaskCreate" \
	"events of the piece"
ok "what was open is open again, and closed"
piece --from 1500us && run 0 "$bin/gotrace" dump --order time "$tmp/piece.trace" &&
	is "$(grep -c 'UserRegion.*mode=1' "$tmp/out") $(grep -c UserTaskEnd "$tmp/out")" "2 1" "ends"
ok "and ends as it ended"
piece --from 2500us && run 0 "$bin/gotrace" dump --order time "$tmp/piece.trace" &&
	prints " GoWaiting g=1" && grep -q ' GoUnblock.* g=1' "$tmp/out" && ! prints GoSysExit
ok "who is in a system call is found waiting, and woken"

# Interfaces.
run 0 "$san" split --from 500us -o - - < <(cat "$tmp/open.trace") && fine && cp "$tmp/out" "$tmp/piece.trace" &&
	run 0 "$bin/gotrace" validate -q "$tmp/piece.trace"
ok "from a pipe into a pipe"
cp "$tmp/big.trace" "$tmp/name.d.trace"
run 0 "$san" split --json --every 2ms "$tmp/name.d.trace" && [ -e "$tmp/name.d-000.trace" ] &&
	python3 - "$tmp/out" <<-'PY'
	import json, os, sys
	rows = [json.loads(l) for l in open(sys.argv[1])]
	assert [r["from_ns"] // (2 * 10**6) for r in rows] == list(range(len(rows))), rows
	for r in rows:
	    assert abs(os.path.getsize(r["file"]) - r["bytes"]) < r["bytes"] / 4, r
	assert sum(r["events"] for r in rows) >= 24000
	PY
ok "names, --json"
run 1 "$san" split --from 10s -o "$tmp/none" "$tmp/big.trace" && says "there is nothing in that time" && [ ! -e "$tmp/none" ]
ok "nothing in that time"
head -c 100000 "$tmp/big.trace" > "$tmp/cut.trace"
run 1 "$san" split --every 1ms -o "$tmp/none" "$tmp/cut.trace" && says "offset "
ok "a trace that is cut"
run 1 "$san" split --from 1us -o /dev/full "$tmp/big.trace" && says "No space left"
ok "no room"
while IFS='|' read -r text words; do
	# shellcheck disable=SC2086	# a list
	run 2 "$san" split $words && says "$text"
	ok "usage: split $words"
done <<'USAGE'
which trace?|--every 1s
into what?|a
--every or --size, not both|--every 1s --size 1M a
--size must be 64K or more|--size 1K a
--to must be later than --from|--from 2s --to 1s -o b a
standard input has no name|--every 1s -
standard output can have one piece only|--every 1s -o - a
standard output can have the piece or --json|--json -o - a
USAGE

tap_done

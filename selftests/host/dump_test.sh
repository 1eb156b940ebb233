#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gotrace dump on good and bad traces, and what every command says to bad
# usage. Needs no module and no guest. TAP on stdout.
#
#   GOTRACE_BIN   folder of gotrace (build/bin); the sanitized one is built
set -u

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
bin=${GOTRACE_BIN:-$top/build/bin}
cases=$top/selftests/cases
# shellcheck source=SCRIPTDIR/../command.sh
. "$here/../command.sh"
tmp=$said

# What a reader may never do, whatever the trace.
not_crashed() { ! grep -qE 'Sanitizer|runtime error' "$tmp/err"; }

[ -x "$bin/gotrace" ] || make -s -C "$top/tools" > /dev/null || exit 1
make -s -C "$top/tools" sanitize > /dev/null || exit 1
san=$top/build/san/gotrace

# The same trace from a file and from a pipe: a pipe shows the same events, but
# not the names that come later, and other times; and refuses the same.
dump_case() {
	local trace=$1 want=$2 err=$3 rc=0
	[ -z "$err" ] || rc=1
	run $rc "$san" dump "$trace" || return
	not_crashed || return
	if [ -n "$want" ]; then
		cmp -s "$want" "$tmp/out" || return
	fi
	[ -z "$err" ] || says "gotrace dump: $trace: $err" || return
	cut -d' ' -f2-4 "$tmp/out" > "$tmp/events"
	run $rc "$san" dump - < <(cat "$trace") || return
	not_crashed || return
	[ -z "$err" ] || says "gotrace dump: standard input: $err" || return
	cut -d' ' -f2-4 "$tmp/out" | cmp -s "$tmp/events" - || return
	run $rc "$san" dump --json --records "$trace" && not_crashed || return
	python3 -c 'import json, sys
for line in open(sys.argv[1], encoding="utf-8"): json.loads(line)' "$tmp/out"
}

mkdir "$tmp/traces"
python3 "$here/traces.py" "$tmp/traces" || exit 1
for t in "$tmp"/traces/*.trace; do
	base=${t%.trace}
	err=
	[ ! -e "$base.err" ] || err=$(cat "$base.err")
	dump_case "$t" "$base.want" "$err"
	ok "dump ${base##*/}"
done

for t in "$cases"/good/*.trace; do
	dump_case "$t" "" ""
	ok "dump cases/good/${t##*/}"
done

# Refused by Go's parsers, and by us: what is wrong with the bytes. Not ours:
# what only the order of the events shows, which dump does not look at.
while read -r name off text; do
	err=
	[ "$off" = - ] || err="offset $off: $text"
	dump_case "$cases/malformed/$name.trace" "" "$err"
	ok "dump cases/malformed/$name"
done <<'CASES'
00_trunc_00_empty 0 the file is empty
02_trunc_02_after_header 16 the trace ends without an event
04_trunc_04_after_event_type 27 the file ends inside this GoCreate, at offset 28
06_trunc_06_inside_length_form_args 27 the file ends inside this GoCreate, at offset 31
08_trunc_08_event_boundary_no_footer 46 the trace ends without a Frequency
10_trunc_10_after_string_length 50 the file ends inside this String, at offset 53
12_trunc_12_last_stack_missing 27 stack 2 is used here, but the trace does not say what it is
14_varint_10_bytes_overflow 36 GoBlockRecv has a number of more than 64 bits
15_varint_10_bytes_padded -
16_argcount_too_few 36 GoBlockRecv has 1 argument, 2 expected
18_length_byte_too_big 27 GoCreate has 9 arguments, 4 expected
20_length_cuts_varint 27 GoCreate has a length of 4 bytes, which ends inside a number
22_unknown_event_63 48 unknown event type 63
24_event_type_0 48 unknown event type 0
26_stack_count_1001 92 Stack has 1001 frames, at most 1000 are allowed
28_stack_huge_length 92 Stack is 1099511627776 bytes long, at most 2048 are allowed
30_string_dup_id 62 String 1 is there twice
32_wrong_seq -
34_ts_backwards_delta -
36_bad_header_version_1_20 0 no Go has written traces with the version 1.20
38_bad_header_padding 0 not a Go execution trace
40_no_batch 16 ProcStart before the first Batch
42_freq_2e63 86 Frequency of 9223372036854775808 ticks a second
44_block_not_running -
46_trailing_garbage 115 unknown event type 63
CASES

small=$(find "$tmp/traces" "$cases/good" -name '*.trace' -size -8k | sort)
# shellcheck disable=SC2086
run 0 "$top/build/san/mutate" $small
ok "every truncation and many changed bytes of $(echo "$small" | wc -l) traces end well ($(tail -1 "$tmp/out"))"

# The command itself, cut everywhere: a status and a word, and what came before.
cut_everywhere() {
	local t=$cases/good/b_oneg.trace size i
	size=$(stat -c %s "$t")
	for ((i = 0; i < size; i++)); do
		head -c $i "$t" > "$tmp/cut.trace"
		run 1 "$bin/gotrace" dump "$tmp/cut.trace" || return
		says "gotrace dump: $tmp/cut.trace: offset " || return
	done
}
cut_everywhere
ok "dump: a cut trace exits with 1 and says where"

run 1 "$san" dump --order file "$cases/malformed/22_unknown_event_63.trace" &&
	[ "$(wc -l < "$tmp/out")" = 8 ]
ok "dump: what comes before the fault is printed"

run 0 "$san" dump --ticks --offsets --no-frames --records "$cases/good/b_oneg.trace" &&
	grep -qx -- '- - - Batch p=0 ticks=1000 off=16' "$tmp/out" &&
	grep -qx '1113 0 1 GoBlockRecv stk=1 off=36' "$tmp/out" &&
	grep -q '^- - - Stack id=1 n=2 off=' "$tmp/out" &&
	grep -q '^- - - String id=1 text=main.leaf off=' "$tmp/out" &&
	grep -q '^- - - Frequency hz=1000000000 off=' "$tmp/out"
ok "dump: ticks, offsets, records, no frames"

# Before the Frequency is known, ticks; after it, ns; by then no name is missing.
run 0 "$san" dump - < <(cat "$cases/good/b_oneg.trace") &&
	grep -qx '112t 0 1 GoBlockRecv stk=1' "$tmp/out"
ok "dump: a pipe is read as it comes"

full() { "$san" dump "$cases/good/full.trace" > /dev/full; }
run 1 full && says "gotrace dump: cannot write: No space left on device"
ok "dump: a full disk is told"

run 1 "$bin/gotrace" dump "$tmp/none" && says "cannot open $tmp/none: No such file"
ok "dump: no such file"
run 1 "$bin/gotrace" dump "$tmp" && says "cannot read: Is a directory"
ok "dump: a folder"

# Usage: STATUS, the word to look for on stderr (-: usage on stdout), arguments.
while IFS='|' read -r rc word args; do
	# shellcheck disable=SC2086
	run "$rc" "$san" $args && not_crashed &&
		case $word in
		-) [ ! -s "$tmp/err" ] && grep -q '^usage: gotrace' "$tmp/out";;
		version) [ ! -s "$tmp/err" ] && grep -q '^gotrace [0-9]' "$tmp/out";;
		*) [ ! -s "$tmp/out" ] && says "$word";;
		esac
	ok "usage: gotrace $args"
done <<'USAGE'
2|usage: gotrace|
0|-|--help
0|-|-h
0|-|help
0|version|--version
0|version|-V
2|gotrace: there is no command 'frob'; see 'gotrace --help'|frob
2|gotrace: there is no option '--frob'; see 'gotrace --help'|--frob
0|-|record --help
0|-|record -h
0|version|record --version
0|-|start --help
0|version|start -V
0|-|stop --help
0|version|stop --version
0|-|status --help
0|version|status --version
0|-|dump --help
0|version|dump --version
2|gotrace record: there is no option '--bufer'; see 'gotrace record --help'|record --bufer 1M
2|there is no option '-x'|record -x
2|there is no option '-x'|record -xd 1
2|an argument is missing after '--buffer'|record --buffer
2|an argument is missing after '-o'|record -o
2|--buffer takes something like 512K, 64M or 1G, not '64Q'|record --buffer 64Q
2|--buffer takes|record --buffer 0
2|--buffer takes|record --buffer -1M
2|--buffer takes|record --buffer nan
2|--buffer takes|record --buffer 99999999T
2|--tables takes|start --tables K
2|--duration takes something like 10, 0.5, 250ms or 2m, not '5y'|record -d 5y
2|--duration takes|record -d 0
2|--duration takes|record -d inf
2|--duration takes|record --duration=
2|--syscalls takes one of off, calls, regions, not 'on'|start --syscalls on
2|--clock takes one of auto, tsc, mono, boot, not 'x'|start --clock x
2|--format takes one of 1.21, 1.19, not '1.22'|start --format 1.22
2|do not know what to do with 'x'|start x
2|do not know what to do with 'x'|stop x
2|there is no option '--wait'|stop --wait
2|do not know what to do with 'x'|status x
2|which trace? Name a FILE|dump
2|do not know what to do with 'b'|dump a b
2|--order takes one of file, time, not 'clock'|dump --order clock a
2|--rows is for --order time|dump --rows a
2|--records is for the order of the file|dump --order time --records a
USAGE

# Where there is no module: what to do about it, and nothing is touched.
if [ ! -e /dev/gotrace ]; then
	echo kept > "$tmp/trace.out"
	for c in "record -o $tmp/trace.out" "record -o $tmp/new.out -- true" start stop status; do
		# shellcheck disable=SC2086
		GOTRACE_KO='' run 1 "$san" $c &&
			says "gotrace ${c%% *}: cannot open /dev/gotrace: No such file" &&
			says "modprobe gotrace" && [ "$(cat "$tmp/trace.out")" = kept ] &&
			[ ! -e "$tmp/new.out" ]
		ok "no module: gotrace ${c//$tmp\//}"
	done
	GOTRACE_KO=$tmp/none.ko run 1 "$san" start && says "cannot load $tmp/none.ko: No such file"
	ok "no module: GOTRACE_KO names no file"
fi

tap_done

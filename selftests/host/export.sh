#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gotrace export: every format is read by a program that nobody here wrote, and what it
# finds is what the report says (export_check.py), whatever names hold (export_trace.py).
# Needs no module and no guest. TAP on stdout.
set -u

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
# shellcheck source=SCRIPTDIR/../command.sh
. "$here/../command.sh"
tmp=$said

goroot=$("$top/selftests/fetch/fetch.sh" go 1.21) || { echo "Bail out! no Go"; exit 1; }
go=$goroot/bin/go
export GOROOT=$goroot GOTOOLCHAIN=local GOTELEMETRY=off HOME=$tmp PPROF_TMPDIR=$tmp
make -s -C "$top/tools" sanitize > /dev/null || exit 1
san=$top/build/san/gotrace
python3 "$here/export_trace.py" "$PWD/odd.trace" || exit 1
python3 "$here/report_trace.py" "$PWD/known.trace" || exit 1
traces=("$PWD"/{odd,known}.trace "$top"/selftests/cases/good/*.trace
	"$goroot"/src/internal/trace/testdata/{http_1_19,user_task_region_1_21}_good)

# export TRACE STATUS OPTION...: into the file made.
exports() {
	local trace=$1 want=$2
	shift 2
	rm -f "$tmp/made"
	run "$want" "$san" export "$@" -o "$tmp/made" "$trace" &&
		! grep -qE 'Sanitizer|runtime error' "$tmp/err"
}

# agrees FORMAT FILE [PROFILE]: with the report, on the figures in $agreed.
agrees() {
	local rc=0
	run 0 python3 "$here/export_check.py" "$1" "$tmp/report" "${@:2}" || rc=$?
	agreed=$(cat "$tmp/out")
	return $rc
}

check_folded() {
	local profile
	for profile in cpu offcpu sched syscall sync net; do
		exports "$1" "$2" -f folded -p $profile && agrees folded "$tmp/made" $profile
		ok "folded, $profile, of ${1##*/}: $agreed"
	done
}

# -top has a total too: what no filter left out.
check_pprof() {
	local profile total
	for profile in cpu offcpu sched syscall sync net; do
		exports "$1" "$2" -f pprof -p $profile && gzip -t "$tmp/made" &&
			run 0 "$go" tool pprof -symbolize=none -raw "$tmp/made" &&
			mv "$tmp/out" "$tmp/raw" && agrees pprof "$tmp/raw" $profile &&
			total=$(sed 's/.* \([0-9]*\) $/\1/' "$tmp/out") &&
			run 0 "$go" tool pprof -symbolize=none -top -unit=ns -nodefraction=0 "$tmp/made" &&
			{ [ "$total" = 0 ] || prints " of ${total}ns total"; }
		ok "pprof, $profile, of ${1##*/}: ${total:-}"
	done
}

check_perfetto() {
	exports "$1" "$2" -f perfetto &&
		protoc --proto_path="$top/tools/proto" --decode=perfetto.Trace \
			"$top/tools/proto/perfetto.proto" < "$tmp/made" > "$tmp/text" 2> "$tmp/err" &&
		! grep -qE '^ *[0-9]+:|^ *[0-9]+ \{' "$tmp/text" && agrees perfetto "$tmp/text"
	ok "perfetto, of ${1##*/}: $agreed"
}

check_chrome() {
	exports "$1" "$2" -f chrome && agrees chrome "$tmp/made"
	ok "chrome, of ${1##*/}: $agreed"
}

check_csv() {
	exports "$1" "$2" -f csv && agrees csv "$tmp/made"
	ok "csv, of ${1##*/}: $agreed"
}

for t in "${traces[@]}"; do
	"$san" report --json "$t" > "$tmp/report" 2> "$tmp/err"
	lost=$?
	for f in pprof perfetto chrome csv folded; do
		check_$f "$t" "$lost"
	done
done

# A sample speaks for the time up to it, the last one of a run also for what is left.
exports odd.trace 0 -f folded -p cpu && cp "$tmp/made" "$tmp/out" &&
	prints 'hog;f"<' && grep -q '^hog;.* 999989000$' "$tmp/out" &&
	grep -q ';syscall.futex 240000000$' "$tmp/out"
ok "time goes where the samples were"

exports odd.trace 0 -f folded && run 0 "$san" export -f folded - < odd.trace && cmp "$tmp/out" "$tmp/made"
ok "standard input to standard output"
mkdir "$tmp/d"
head -c 3000 odd.trace > "$tmp/cut"
run 1 "$san" export -f pprof -o "$tmp/d/new" "$tmp/cut" && says "gotrace export: $tmp/cut: offset" && [ -z "$(ls -A "$tmp/d")" ]
ok "a broken trace: no file"
# What is wrong between the events is seen last.
python3 - odd.trace "$tmp/twice" <<-'PY'
	import sys
	t = open(sys.argv[1], "rb").read()
	i = t.index(bytes([0x8d]))
	open(sys.argv[2], "wb").write(t[:i] + bytes([0x8d]) + t[i + 1:i + 4] + t[i:])
PY
echo old > "$tmp/d/old"
run 1 "$san" export -f folded -o "$tmp/d/old" "$tmp/twice" && is "$(cat "$tmp/d/old")" old "the file" && [ "$(ls -A "$tmp/d")" = old ]
ok "one that is wrong further on: the old file stays"
exports odd.trace 0 -f perfetto && protoc --proto_path="$top/tools/proto" --decode=perfetto.Trace \
	"$top/tools/proto/perfetto.proto" < "$tmp/made" > "$tmp/out" && prints 'string_value: "me\"ss\357\277\275"' &&
	is "$(grep -c '^  perf_sample' "$tmp/out")" 2000 samples && is "$(grep -c 'name: "re\\ngion"' "$tmp/out")" 1000 regions &&
	is "$(grep -c 'name: "ta;sk"' "$tmp/out")" 2 "a user task and its track" && prints counter_value:\ 1999
ok "samples, regions, a user task, logs, the heap in perfetto"
is "$(grep -A1 '^      pid: 10$' "$tmp/out" | grep -c 'tid: 1[01]$')" 2 "threads of process 10" &&
	is "$(grep -c 'process_name: "q' "$tmp/out")" 1 "name of process 10"
ok "tasks are threads of their processes"
exports odd.trace 0 -f chrome && run 0 python3 - "$tmp/made" <<-'PY'
	import collections, json, sys
	d = json.load(open(sys.argv[1], encoding="utf-8"))
	n = collections.Counter((e["ph"], e["name"]) for e in d["traceEvents"])
	assert n["i", "CPU sample"] == 2000 and n["X", "re\ngion"] == 1000 and n["C", "heap"] == 1000, n
	assert n["b", "ta;sk"] == n["e", "ta;sk"] == 1 and n["i", "key\x01"] == 1000, n
	assert {e["args"]["message"] for e in d["traceEvents"] if e["name"] == "key\x01"} == {"me\"ss\ufffd"}
	frames = d["stackFrames"]
	s = next(e for e in d["traceEvents"] if e["name"] == "CPU sample")
	inner = frames[str(s["sf"])]
	assert inner["name"] == "syscall.futex" and "parent" not in frames[str(inner["parent"])], inner
	PY
ok "samples with stacks, regions, a user task, logs, the heap in chrome"
exports odd.trace 0 -f csv && run 0 sqlite3 -separator ' ' :memory: ".import --csv $tmp/made t" \
	"select kind, count(*), cast(sum(value) as integer) from t where kind in ('sample', 'region', 'log', 'heap', 'user_task') group by kind;
	 select stack from t where kind = 'sample' and task = 'hog' limit 1" &&
	is "$(sed 's/ 0$//' "$tmp/out" | tr '\n' ' ')" "heap 1000 1499500 log 1000 7000 region 1000 sample 2000 user_task 1 7 f\"<$(printf '\357\277\275')>;hog " rows
ok "the same in csv"
run 1 "$san" export -f pprof -o /dev/full odd.trace && says "cannot write: No space left on device"
ok "no room"
run 1 "$san" export -f pprof -o "$tmp/d/x" /nonexistent && says "No such file"
ok "no trace"
run 1 "$san" export -f pprof -o "$tmp/none/x" odd.trace && says "No such file"
ok "no folder"
while read -r text options; do
	# shellcheck disable=SC2086	# words
	run 2 "$san" export $options && says "${text//_/ }"
	ok "wrong usage: $options"
done <<-'USAGE'
	into_which_format x
	takes_one_of -f pdf x
	takes_one_of -f pprof -p heap x
	not_for_perfetto -f perfetto -p cpu x
	which_trace? -f pprof
	what_to_do -f pprof a b
USAGE

tap_done

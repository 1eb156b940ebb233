#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `make formats`: everything that gotrace writes of one trace, each opened by a program
# that nobody here wrote, with a figure on which both sides must agree; the table is
# docs/formats.md. The trace is TRACE=FILE, or the one of `make events`, which has every
# event. Fails, and leaves the table as it was, when one does not agree.
set -eu -o pipefail

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$here")
trace=${TRACE:-$top/build/events/events.trace}
"$here/fetch/deps.sh" browser
make -s -C "$top" tools
[ -e "$trace" ] || "$here/events/run.sh"
cache=${GOTRACE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gotrace}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export GOTRACE_CACHE=$cache HOME=$tmp PPROF_TMPDIR=$tmp GOTOOLCHAIN=local GOTELEMETRY=off
old=$("$here/gocheck/build.sh" 1.21)
new=$("$here/gocheck/build.sh" newest)
goroot=$("$here/fetch/fetch.sh" go 1.21)
go() { GOROOT=$goroot "$goroot/bin/go" "$@"; }

# Events may have been lost: 3.
gotrace() { "$top/build/bin/gotrace" "$@" 2> "$tmp/err" || [ $? = 3 ] || { cat "$tmp/err" >&2; exit 1; }; }

# figure EXPRESSION: of the report: trace, tasks, calls, cpus.
gotrace report --json "$trace" > "$tmp/report"
figure() {
	python3 - "$tmp/report" "$1" <<-'PY'
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
		def of(row):
		    return [r for r in rows if r["row"] == row]
		def total(key, row="task"):
		    return sum(r[key] or 0 for r in of(row))
		trace = rows[0]
		print(eval(sys.argv[2]))
	PY
}

table=$tmp/table
wrong=0
# row COMMAND READER FIGURE WHAT-IT-SAYS WHAT-WE-SAY
row() {
	if [ "$4" != "$5" ]; then
		echo "formats.sh: $1: $2 has $4 for $3, the report $5" >&2
		wrong=1
	fi
	echo "| \`$1\` | $2 | $3 | $4 |" >> "$table"
}

running=$(figure 'total("running_ns")')
calls=$(figure 'total("total_ns", "syscall")')

# The trace, and what becomes of it: Go's own checks, and the pages of its viewer. The
# newest counts no switches of who runs when a trace begins; and by threads it draws no
# trace with GoInSyscall, which --in-syscall has asked for in this one.
go_says() {
	"$@" | sed -n 's/^ok \(go[0-9.]*\) .* \([0-9]*\) goroutines, \([0-9]*\) switches, \([0-9]*\) pages.*/\1 \2 \3 \4/p'
}
opened_by_go() {	# COMMAND TRACE, of which the report is there
	local version gs n pages
	read -r version gs n pages < <(go_says "$old" "$2") ||
		{ echo "formats.sh: $1: Go 1.21 refuses it" >&2; wrong=1; return; }
	row "$1" "$version, \`go tool trace\`, all $pages pages" "switches to a task" "$n" "$(figure 'total("runs")')"
	read -r version gs n pages < <(go_says "$new" -skip '/jsontrace?view=thread' "$2") ||
		{ echo "formats.sh: $1: the newest Go refuses it" >&2; wrong=1; return; }
	row "$1" "$version, \`go tool trace\`, $pages pages" "tasks" "$gs" "$(figure 'trace["tasks"]')"
}
opened_by_go record "$trace"
head -c $(($(stat -c %s "$trace") * 2 / 3)) "$trace" > "$tmp/cut"
gotrace repair -o "$tmp/whole" "$tmp/cut"
end=$(figure 'trace["end_ns"]')
gotrace split --from $((end / 3000))us --to $((end / 2000))us -o "$tmp/piece" "$trace"
for made in repair:whole split:piece; do
	gotrace report --json "$tmp/${made#*:}" > "$tmp/report"
	opened_by_go "${made%:*}" "$tmp/${made#*:}"
done
gotrace report --json "$trace" > "$tmp/report"

export_to() { gotrace export -f "$@" -o "$tmp/out" "$trace"; }

pprof_version="$(go version | cut -d' ' -f3), \`go tool pprof\`"
while read -r profile what; do
	export_to pprof -p "$profile"
	n=$(go tool pprof -symbolize=none -top -unit=ns -nodefraction=0 "$tmp/out" 2> /dev/null |
		sed -n 's/.* of \([0-9]*\)ns total.*/\1/p')
	row "export -f pprof -p $profile" "$pprof_version" "ns in all" "${n:-0}" "$(figure "$what")"
done <<-'PROFILES'
	cpu total("running_ns")
	offcpu total("asleep_ns")
	sched total("runnable_ns")
	syscall total("total_ns","syscall")
	sync sum(total(f"sleep_{r}_ns") for r in ("send","recv","select","sync","cond"))
	net total("sleep_net_ns")
PROFILES

# Nothing that draws flame graphs is in Debian; what all of them begin with is this sum.
export_to folded -p cpu
row "export -f folded -p cpu" "awk" "ns in all" "$(awk '{ n += $NF } END { printf "%.0f", n }' "$tmp/out")" "$running"

export_to perfetto
protoc --proto_path="$top/tools/proto" --decode=perfetto.Trace "$top/tools/proto/perfetto.proto" < "$tmp/out" > "$tmp/text"
n=$(python3 "$here/host/export_check.py" perfetto "$tmp/report" "$tmp/text" | sed 's/^running \([0-9]*\) .*/\1/')
row "export -f perfetto" "protoc $(protoc --version | cut -d' ' -f2), by the messages of Perfetto's own schema" "ns that tasks run, from \`sched_switch\`" "$n" "$running"

python3 "$here/browser/traceviewer.py" "$goroot/src/cmd/trace/static" "$top/build/bin/gotrace" "$trace" > "$tmp/viewer" ||
	{ cat "$tmp/viewer" >&2; wrong=1; }
chromium=$(chromium --version --no-sandbox 2> /dev/null | awk '{ print $1, $2 }')
row "export -f chrome" "Chromium's trace viewer, in $chromium" "ns of the slices on the rows of CPUs" \
	"$(sed -n 's/^ok .* ns on the rows of CPUs: //p' "$tmp/viewer")" "$running"

export_to csv
row "export -f csv" "SQLite $(sqlite3 --version | cut -d' ' -f1)" "ns that tasks are in system calls" \
	"$(sqlite3 :memory: ".import --csv $tmp/out t" "select sum(duration_ns) from t where kind = 'call'" | sed 's/\.0$//')" "$calls"
row "export -f csv" "Python $(python3 -c 'import platform; print(platform.python_version())'), \`csv\`" "ns that tasks run" \
	"$(python3 -c 'import csv, sys
print(sum(int(r["duration_ns"]) for r in csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8"), strict=True) if r["kind"] == "running"))' "$tmp/out")" "$running"

gotrace report --csv --by task "$trace" > "$tmp/out"
row "report --csv --by task" "SQLite $(sqlite3 --version | cut -d' ' -f1)" "ns that tasks run" \
	"$(sqlite3 :memory: ".import --csv $tmp/out t" "select sum(running_ns) from t" | sed 's/\.0$//')" "$running"
row "report --json" "Python, \`json\`" "ns that CPUs run something" "$(figure 'total("running_ns", "cpu")')" "$running"
gotrace dump --json --order time "$trace" > "$tmp/out"
row "dump --json" "Python, \`json\`" "events" "$(python3 -c 'import json, sys
print(sum(1 for line in open(sys.argv[1], encoding="utf-8") if json.loads(line)))' "$tmp/out")" "$(figure 'trace["events"]')"

# The page's script has put this there, after it has asked the server.
mkfifo "$tmp/url"
"$top/build/bin/gotrace" view --no-browser "$trace" > "$tmp/url" 2> "$tmp/err" &
viewer=$!
read -r url < "$tmp/url"
chromium --headless --no-sandbox --disable-gpu --disable-background-networking --user-data-dir="$tmp/profile" \
	--virtual-time-budget=20000 --dump-dom "$url" 2> /dev/null > "$tmp/page" || true
kill -INT $viewer
wait $viewer || true
row "view" "$chromium" "events, on the page" \
	"$(python3 -c 'import re, sys
facts = re.search(r"id=.facts.*? events", open(sys.argv[1], encoding="utf-8").read(), re.S)
print(re.sub(r"\D", "", re.search(r"[\d\s,]+events$", facts[0])[0]) if facts else "")' "$tmp/page")" "$(figure 'trace["events"]')"

[ $wrong = 0 ] || exit 1
{
	cat <<-TEXT
	# Formats

	Everything that gotrace writes of a trace, the program that opened it, and a figure that
	this program and \`gotrace report\` both have. Made by \`make formats\`, which fails when
	they do not agree; the trace is that of \`make events\`: $(figure 'trace["events"]') events of $(figure 'trace["tasks"]')
	tasks on $(figure 'trace["cpus"]') CPUs.

	| output of \`gotrace\` | opened by | figure | both have |
	|---|---|---|---:|
	TEXT
	cat "$table"
} > "$top/docs/formats.md"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The order of events, and what Gs and Ps do: as Go 1.21's own reader has it, of
# Go's own canned traces, of a Go program's, and of made-up ones. Needs no
# module and no guest. TAP on stdout.
#
#   SEED, N   the made-up traces (1, 80)
set -u

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
# shellcheck source=SCRIPTDIR/../command.sh
. "$here/../command.sh"
tmp=$said

goprint=$("$top/selftests/goprint/build.sh") || { echo "Bail out! cannot build goprint"; exit 1; }
canned=$("$top/selftests/fetch/fetch.sh" go 1.21)/src/internal/trace/testdata
make -s -C "$top/tools" sanitize > /dev/null || exit 1
san=$top/build/san/gotrace
compare=$top/selftests/goprint/compare.py

# Both refuse it, or both read the same.
same() {
	local go=0 ours=0
	"$goprint" "$1" > "$tmp/go" 2> "$tmp/go.err" || go=1
	"$san" dump --order time --rows --json "$1" > "$tmp/out" 2> "$tmp/err" || ours=1
	if ! is $ours $go "exit code, and Go's: $(tail -n 1 "$tmp/go.err"); of $1" ||
			grep -qE 'Sanitizer|runtime error' "$tmp/err"; then
		return 1
	fi
	[ $go = 0 ] || { grep -q ': offset [0-9]*: ' "$tmp/err"; return; }
	python3 "$compare" "$tmp/go" "$tmp/out" >> "$tmp/err" 2>&1
}

for t in "$canned"/* "$top"/selftests/cases/good/*.trace; do
	same "$t"
	ok "order of ${t##*/}"
done

"$goprint" -make 2000 "$tmp/go.trace"
same "$tmp/go.trace"
ok "order of a Go program's trace"
"$san" dump "$tmp/go.trace" > "$tmp/text"
for what in GoSysExit.*ts=[1-9] CPUSample UserLog GCStart GoBlockNet; do
	tap_num "it has $what" "$(grep -c " $what" "$tmp/text")" -gt 1
done

mkdir "$tmp/made"
python3 "$here/order_traces.py" "$tmp/made" "${SEED:-1}" "${N:-80}"
good=0 bad=0
for t in "$tmp"/made/*.trace; do
	if ! same "$t"; then
		cp "$t" .
		false
		ok "order of made-up ${t##*/}"
	elif [ -s "$tmp/go" ]; then
		good=$((good + 1))
	else
		bad=$((bad + 1))
	fi
done
tap_num "made-up traces that are good" $good -gt 30
tap_num "made-up traces that are not" $bad -gt 10

# The judge sees what is wrong.
seen() {
	"$goprint" "$canned/http_1_19_good" > "$tmp/go"
	"$san" dump --order time --rows --json "$canned/http_1_19_good" > "$tmp/out"
	sed "$1" "$tmp/out" > "$tmp/wrong"
	! cmp -s "$tmp/out" "$tmp/wrong" && ! python3 "$compare" "$tmp/go" "$tmp/wrong" > /dev/null 2>&1
}
seen '400d' && seen '400{h;d};410G' && seen '400s/"p":[0-9]*/"p":77/' &&
	seen '400s/"time":\([0-9]*\)/"time":\10/' && seen '0,/,"frames":/s/,"frames":\[{"fn":"/&x/'
ok "one event left out, moved, or changed is noticed"

# A pipe is copied, and read the same.
run 0 "$san" dump --order time - < <(cat "$canned/http_1_19_good") &&
	mv "$tmp/out" "$tmp/pipe" && run 0 "$san" dump --order time "$canned/http_1_19_good" &&
	cmp "$tmp/out" "$tmp/pipe"
ok "a pipe is the same trace"
TMPDIR=/nonexistent run 1 "$san" dump --order time - < <(cat "$canned/http_1_19_good") &&
	says "standard input: offset 0: cannot create a file in /nonexistent: No such file"
ok "a pipe that there is no room for"
{ echo hello; cat "$canned/http_1_19_good"; } > "$tmp/behind"
{ head -c 6 > /dev/null; run 0 "$san" dump --order time -; } < "$tmp/behind" &&
	cmp "$tmp/out" "$tmp/pipe"
ok "a file is read from where it stands"

# What only the order shows, and where.
while read -r name text; do
	run 1 "$san" dump --order time "$top/selftests/cases/malformed/$name.trace" &&
		says "$name.trace: $text"
	ok "order of cases/malformed/$name"
done <<'CASES'
32_wrong_seq offset 33: GoStart is step 7 of G 1, but step 1 is not in the trace
34_ts_backwards_delta offset 43: time stamps out of order: GoStartLocal at 1113 after an event at 1163
44_block_not_running offset 39: GoBlockRecv while P 0 runs no G
CASES

tap_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gotrace validate: each rule is broken by a trace of its own, and both Go's are asked
# whether they mind as it says they do. Needs no module and no guest. TAP on stdout.
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
san=$top/build/san/gotrace
canned=$("$top/selftests/fetch/fetch.sh" go 1.21)/src/internal/trace/testdata

validate() { run "$1" "$san" validate "${@:2}" && ! grep -qE 'Sanitizer|runtime error' "$tmp/err"; }

# minds CHECKER ARGS...: "no" if it refuses.
minds() { if "$@" > "$tmp/go" 2>&1; then echo ok; else echo no; cat "$tmp/go" >> "$tmp/err"; fi; }

# rule NAME WHO SKIP RULE...
rule() {
	local t=$tmp/rules/$1.trace want rc skip=() found
	[ "$3" = - ] || skip=(-skip "$3")
	case $2 in
	old) want="no ok";;
	new) want="ok no";;
	both) want="no no";;
	*) want="ok ok";;
	esac
	# Of a warning the trace is good, but not strictly.
	rc=1
	[ "$2" != good ] || rc=0
	validate $rc --strict --all "$t" || return
	found=$(sed -n 's/^.*: offset [0-9]*: .*(\([a-z0-9-]*\);.*/\1/p' "$tmp/out" | sort -u | xargs)
	is "$found" "$(printf '%s\n' "${@:4}" | sort | xargs)" "rules that $1 breaks" || return
	is "$(minds "$gocheck_old" "${skip[@]}" "$t") $(minds "$gocheck_new" "${skip[@]}" "$t")" \
		"$want" "Go 1.21 and the newest on $1"
}

mkdir "$tmp/rules"
python3 "$here/rules_traces.py" "$tmp/rules" > "$tmp/list" || exit 1
while read -r name who skip rules; do
	# shellcheck disable=SC2086	# a list
	rule "$name" "$who" "$skip" $rules
	ok "rule $name"
done < "$tmp/list"
# Those that this cannot show: they need a trace that was cut.
missing=$(sed -n 's/.*found(r, \(starts ? \)\?"\([a-z0-9-]*\)".*/\2/p' "$top/tools/rules.c" | sort -u |
	grep -vxFf <(cut -d' ' -f4- "$tmp/list" | tr ' ' '\n'))
tap_is "each rule has a trace" '' "$(xargs <<< "$missing")"

for t in "$cases"/good/*.trace; do
	validate 0 -q "$t" && [ ! -s "$tmp/out" ]
	ok "cases/good/${t##*/} is good"
done
for t in "$cases"/malformed/*.trace; do
	name=${t##*/}
	if [[ $name = 15_* ]]; then
		validate 0 "$t"
	else
		validate 1 "$t" && grep -q "^$t: offset [0-9]*: " "$tmp/out"
	fi
	ok "cases/malformed/$name is not, unless it is 15"
done
for t in "$canned"/*_good; do
	validate 0 -q "$t"
	ok "${t##*/} is good"
done

# Every truncation of a good trace.
cut_everywhere() {
	local size i
	size=$(stat -c %s "$1")
	for ((i = 0; i < size; i++)); do
		head -c $i "$1" > "$tmp/cut.trace"
		run 1 "$top/build/bin/gotrace" validate -q "$tmp/cut.trace" &&
			grep -q "^$tmp/cut.trace: offset [0-9]*: " "$tmp/out" || return
	done
}
cut_everywhere "$cases/good/b_oneg.trace"
ok "every truncation is found, with its offset"

validate 1 --json "$tmp/rules/futile.trace" "$tmp/rules/pc_twice.trace" &&
	python3 - "$tmp/out" <<-'PY'
	import json, sys
	a, b = [json.loads(l) for l in open(sys.argv[1])]
	assert a["rule"] == "futile-wakeup" and a["who"] == "new" and not a["warning"], a
	assert a["offset"] == 101 and a["text"].startswith("FutileWakeup"), a
	assert b["rule"] == "pc-twice" and b["who"] == "all" and b["warning"], b
	PY
ok "--json"

validate 0 "$tmp/rules/pc_twice.trace" && prints "good, 10 events, 1 warning" &&
	validate 0 -q "$tmp/rules/pc_twice.trace" && [ ! -s "$tmp/out" ] &&
	validate 1 --strict "$tmp/rules/pc_twice.trace"
ok "a warning is a fault with --strict only"

validate 1 - < <(cat "$tmp/rules/futile.trace") &&
	prints "standard input: offset 101: FutileWakeup"
ok "standard input"
run 1 "$san" validate "$tmp/none" "$cases/good/full.trace" && says "cannot open $tmp/none" &&
	prints "full.trace: good, 81 events"
ok "a file that is not there does not keep it from the others"
run 2 "$san" validate && says "which trace?"
ok "no file"

tap_done

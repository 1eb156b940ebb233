# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Recording a trace and asking what is in it, for scripts to source.

events_dir=$(mktemp -d "${TMPDIR:-/tmp}/events.XXXXXX")
trap 'rm -rf "$events_dir"' EXIT

# record NAME OPTION... -- COMMAND...: leaves NAME.trace here and its text in
# $text; a point by itself. COMMAND's output is in $out.
record() {
	local name=$1
	shift
	text=$events_dir/$name.text
	out=$events_dir/$name.out
	if ! gotrace record -o "$name.trace" "$@" > "$out" 2> "$out.err"; then
		tap_not_ok "$name is recorded" "$(tail -n 20 "$out" "$out.err")"
		: > "$text"
		return 1
	fi
	dump "$name"
}

# dump NAME: what gotrace prints of NAME.trace, which must be whole, in $text.
dump() {
	text=$events_dir/$1.text
	tap_run "$1 is recorded" sh -c 'exec gotrace dump "$0" > "$1"' "$1.trace" "$text"
}

# count CONDITION: lines of $text for which the awk expression holds. The fields
# are time, P, G, name, arguments; leaf() is the innermost frame, arg("x") the
# argument x.
count() {
	awk '
	function arg(key,    i) {
		for (i = 5; i <= NF; i++)
			if (index($i, key "=") == 1)
				return substr($i, length(key) + 2)
		return ""
	}
	function leaf(    f) {
		f = arg("frames")
		sub(/;.*/, "", f)
		return f
	}
	'"$1"' { n++ }
	END { print n + 0 }' "$text"
}

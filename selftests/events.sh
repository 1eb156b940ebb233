# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Recording a trace and asking what is in it, for scripts to source.

events_dir=$(mktemp -d "${TMPDIR:-/tmp}/events.XXXXXX")
trap 'rm -rf "$events_dir"' EXIT

# record NAME OPTION... -- COMMAND...: without frames; leaves NAME.trace here, its text in $text
# and what is in it in $tally; a point by itself. COMMAND's output is in $out.
record() {
	local name=$1
	shift
	out=$events_dir/$name.out
	if ! gotrace record --stacks none -o "$name.trace" "$@" > "$out" 2> "$out.err"; then
		tap_not_ok "$name is recorded" "$(tail -n 20 "$out" "$out.err")"
		return 1
	fi
	dump "$name"
}

# dump NAME: NAME.trace, which must be whole, as $text and $tally.
#
# A line of $tally is a number of events that have all of this in common:
#	NUMBER WHOSE G EVENT DETAIL
# with WHOSE "by" for the events of a task G, and "of" for those of others that
# do something to it (GoCreate, GoStart, GoUnblock, ...); DETAIL is the innermost
# frame, of a region its mode and name, "-" if there is none.
dump() {
	text=$events_dir/$1.text
	tally=$events_dir/$1.tally
	# shellcheck disable=SC2016	# for the inner shell
	tap_run "$1 is recorded" sh -c 'exec gotrace dump "$0" > "$1"' "$1.trace" "$text"
	awk '
	{
		detail = "-"; whom = ""
		for (i = 5; i <= NF; i++) {
			c = substr($i, 1, 2)
			if (c == "g=")
				whom = substr($i, 3)
			else if (c == "ne" && $i ~ /^newg=/)
				whom = substr($i, 6)
			else if (c == "fr" && $4 != "UserRegion") {
				detail = substr($i, 8)
				sub(/;.*/, "", detail)
			}
		}
		if ($4 == "UserRegion")
			detail = $6 "," $7
		n["by " $3 " " $4 " " detail]++
		if (whom != "")
			n["of " whom " " $4 " " detail]++
	}
	END { for (k in n) print n[k], k }' "$text" > "$tally"
}

# count WHOSE G EVENT [DETAIL]: how many. G is a regular expression and EVENT is
# one, for the whole word; DETAIL is the word itself.
count() {
	awk -v whose="$1" -v g="^($2)$" -v event="^($3)$" -v detail="${4:-}" '
	$2 == whose && $3 ~ g && $4 ~ event && (detail == "" || $5 == detail) { n += $1 }
	END { print n + 0 }' "$tally"
}

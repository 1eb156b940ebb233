#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# pages.sh GOTRACE DIR: all manual pages into DIR. Those of the commands are made
# from what the program GOTRACE says to --help, so that they say the same, and end
# with what stands here beside: gotrace-CMD.mdoc, its examples and references.
set -eu
gotrace=$1 out=$2
here=$(dirname "$0")
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" '+%B %-d, %Y')
version=$("$gotrace" --version)

# page NAME WHAT [CMD]
page() {
	"$gotrace" ${3:+"$3"} --help |
		awk -v name="$1" -v what="$2" -v date="$date" \
			-v version="${version#gotrace }" -f "$here/mdoc.awk"
	if [ -e "$here/$1.mdoc" ]; then
		grep -v '^\.\\"' "$here/$1.mdoc"
	fi
}

rm -rf "$out"
mkdir -p "$out"
page gotrace "Go's execution tracer for the Linux kernel" > "$out/gotrace.1"
"$gotrace" --help | sed -n 's/^  \([a-z][a-z]*\)  *\(.*\)/\1 \2/p' |
while read -r cmd what; do
	page "gotrace-$cmd" "$what" "$cmd" > "$out/gotrace-$cmd.1"
done
for f in "$here"/*.[34]; do
	[ ! -e "$f" ] || cp "$f" "$out/"
done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The manual pages say what the programs say, and the header. A new command wants a
# file man/gotrace-CMD.mdoc with examples.
set -u

top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
# shellcheck source=SCRIPTDIR/../command.sh
. "$top/selftests/command.sh"
man=$said/man
uapi=$top/uapi/linux/gotrace.h

tap_run "the pages are made" make -s -C "$top/tools" man || exit 1
cp -r "$top/build/man" "$man"

shown() { mandoc -T ascii -O width=100 "$1" | col -bx; }
# same NAME A B: the texts, else where they part.
same() {
	diff <(fold -w 70 <<< "$2") <(fold -w 70 <<< "$3") > "$said/out" 2> "$said/err"
	ok "$1"
}
# What a help text has in common with its page: all but white space, and the words
# that became headings.
plain_help() { gotrace ${1:+"$1"} --help | sed 's/^usage: //; s/^Exit code: //' | tr -d ' \t\n'; }
plain_page() {
	shown "$1" | sed -n '/^SYNOPSIS/,/^E[XN][AV]/{ /^[A-Z]/!p; }' | tr -d ' \t\n'
}
options_help() { gotrace "$1" --help | sed -n 's/^  \(-[^ ]*\( [^ ]\+\)*\).*/\1/p'; }
options_page() { shown "$1" | sed -n '/^EXAMPLES/q; s/^ \{5\}\(-[^ ]*\( [^ ]\+\)*\).*/\1/p'; }
# The long options of the table that a command's getopt has.
options_table() {
	local files=$top/tools/cmd_$1.c
	! grep -q SESSION_OPTIONS "$files" || files+=" $top/tools/session.h"
	# shellcheck disable=SC2086	# a list
	sed -n 's/.*{ "\([a-z0-9-]*\)", [a-z]*_argument, .*/--\1/p' $files
	printf '%s\n' --help --version
}

lint() { ! mandoc -T lint -W warning "$1" | grep -v 'new sentence, new line' > "$said/err"; }

same "gotrace: the page says what --help says" \
	"$(plain_page "$man/gotrace.1")" "$(plain_help '')"

mapfile -t commands < <(gotrace --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
tap_num "there are commands" ${#commands[@]} -ge 6
for c in "${commands[@]}"; do
	page=$man/gotrace-$c.1
	same "$c: the page says what --help says" "$(plain_page "$page")" "$(plain_help "$c")"
	same "$c: each option in --help is one of the page, and the other way" \
		"$(options_page "$page")" "$(options_help "$c")"
	same "$c: each option in --help is one of the program, and the other way" \
		"$(options_help "$c" | sed 's/^-., //; s/ .*//' | sort)" \
		"$(options_table "$c" | sort)"
	grep -q '^\.Sh EXAMPLES' "$page" ||
		{ echo "write man/gotrace-$c.mdoc" >> "$said/err"; false; }
	ok "$c: the page has examples"
	lint "$page"
	ok "$c: mandoc has nothing to say"
done

# What the examples call, each option of each command.
sed -n 's/.*\<gotrace \([a-z][a-z]* .*\)/\1/p' "$man"/* | sed 's/ -- .*//; s/[|;&>].*//' |
while read -r c rest; do
	for w in $rest; do
		[[ $w != -?* ]] || gotrace "$c" --help | grep -qE "^  (-., )?$w( |,|$)" ||
			echo "gotrace $c $w"
	done
done > "$said/err"
[ ! -s "$said/err" ]
ok "the examples' options are there"

for f in "$top"/man/gotrace-*.mdoc; do
	c=${f##*/gotrace-}
	[[ " ${commands[*]} " = *" ${c%.mdoc} "* ]] || echo "$f: no such command" >> "$said/err"
done
[ ! -s "$said/err" ]
ok "no examples of what is not there"

lint "$man/gotrace.1" && lint "$man/gotrace.4"
ok "gotrace(1), gotrace(4): mandoc has nothing to say"
same "gotrace(4): the header's ioctls" \
	"$(grep -o 'GOTRACE_IOC_[A-Z_]*' "$top/man/gotrace.4" | sort -u)" \
	"$(sed -n 's/^#define \(GOTRACE_IOC_[A-Z_]*\)[[:space:]]*_IO.*/\1/p' "$uapi" | sort -u)"

tap_done

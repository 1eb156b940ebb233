# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion of gotrace's commands, options and their values, for bash. All words
# come from the program: what it says to --help, and to a value that is none.

# The commands, or the options of a command: "--output FILE" a line.
_gotrace_commands() { "$1" --help 2> /dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p'; }
_gotrace_options() {
	"$1" "$2" --help 2> /dev/null | sed -n '/^  -/ {
		s/^  //; s/   *.*//; s/^-\([^-]\), \(--[^ ]*\)\(.*\)/-\1\3\n\2\3/; p; }'
}

# The option's values where it takes one of a few: it says so, and --help behind
# it keeps the command from doing anything where it does not.
_gotrace_values() {
	"$1" "$2" "$3" '' --help 2>&1 > /dev/null |
		sed -n "s/.* takes one of \(.*\), not ''.*/\1/p" | tr -d ,
}

_gotrace_words() {
	local w
	while IFS= read -r w; do
		COMPREPLY+=("$w")
	done < <(compgen "$@" -- "${COMP_WORDS[COMP_CWORD]}")
}

_gotrace() {
	local prog=${COMP_WORDS[0]} cmd=${COMP_WORDS[1]} i=2 w values options
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		_gotrace_words -W "$(_gotrace_commands "$prog") help --help --version"
		return
	fi
	if [ "$cmd" = help ]; then
		[ "$COMP_CWORD" != 2 ] || _gotrace_words -W "$(_gotrace_commands "$prog")"
		return
	fi
	options=$(_gotrace_options "$prog" "$cmd")

	# Skip the options in front, with their values. Behind them, record and what
	# is like it have a command of its own.
	while [ $i -lt "$COMP_CWORD" ]; do
		w=${COMP_WORDS[i]}
		if [ "$w" = -- ]; then
			i=$((i + 1))
			break
		elif [[ $w != -* ]]; then
			break
		elif grep -q -e "^$w " <<< "$options"; then
			i=$((i + 1))
			if [ $i = "$COMP_CWORD" ]; then
				values=$(_gotrace_values "$prog" "$cmd" "$w")
				[ -z "$values" ] || _gotrace_words -W "$values"
				[ -n "$values" ] || _gotrace_words -f
				return
			fi
		fi
		i=$((i + 1))
	done
	if "$prog" "$cmd" --help 2> /dev/null | grep -q '^usage: .*[ []COMMAND'; then
		if [ $i -lt "$COMP_CWORD" ] && declare -F _command_offset > /dev/null; then
			_command_offset $i
			return
		elif [ $i = "$COMP_CWORD" ] && [[ ${COMP_WORDS[i]} != -* ]]; then
			_gotrace_words -c
			return
		fi
	fi
	if [[ ${COMP_WORDS[COMP_CWORD]} == -* ]]; then
		_gotrace_words -W "$(cut -d' ' -f1 <<< "$options")"
	else
		_gotrace_words -f
	fi
}

complete -o filenames -F _gotrace gotrace

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Completion in bash: every command, every option of each, values, and what is
# recorded.
set -u

top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
# shellcheck source=SCRIPTDIR/../command.sh
. "$top/selftests/command.sh"
# shellcheck source=/dev/null
. /usr/share/bash-completion/bash_completion
# shellcheck source=SCRIPTDIR/../../system/gotrace.bash
. "$top/system/gotrace.bash"

# words LINE: what is offered where LINE ends, sorted. An empty last word is a
# blank at its end.
words() {
	# COMP_LINE and COMP_POINT are for bash-completion's own functions.
	# shellcheck disable=SC2034
	COMP_LINE=$1 COMP_POINT=${#1}
	read -ra COMP_WORDS <<< "$1"
	[[ $1 != *" " ]] || COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_gotrace
	sorted "${COMPREPLY[*]}"
}
sorted() { tr ' ' '\n' <<< "$1" | sort -u | paste -sd' '; }
offers() { tap_is "completes: $1" "$(sorted "$2")" "$(words "$1")"; }

mapfile -t commands < <(gotrace --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
tap_num "there are commands" ${#commands[@]} -ge 6
offers "gotrace " "${commands[*]} help --help --version"
offers "gotrace help " "${commands[*]}"
offers "gotrace sym" symbolize
for c in "${commands[@]}"; do
	offers "gotrace $c -" \
		"$(gotrace "$c" --help | grep -oE '^  -[^ ,]+(, --[^ ]+)?' | tr -d , | paste -sd' ' | tr -s ' ' | sed 's/^ //')"
done
offers "gotrace start --sys" "--syscalls"
offers "gotrace start --syscalls " "off calls regions"
offers "gotrace record --clock " "auto tsc mono boot"
offers "gotrace record --raw --format 1.2" "1.21"

cd "$said" || exit 1
mkdir files && touch files/a.trace files/b.trace
offers "gotrace record --buffer 1M -o files/a" files/a.trace
offers "gotrace dump --json files/" "files/a.trace files/b.trace"
offers "gotrace record -o x mapfil" mapfile
offers "gotrace record -- dircolo" dircolors
offers "gotrace record -d 5 ls --direc" "--directory"
offers "gotrace record -- ls files/b" files/b.trace

# Asking does nothing.
tap_is "nothing was recorded" "$(cd "$said" && echo files*/* ./*.out)" "files/a.trace files/b.trace ./*.out"
# shellcheck disable=SC2016	# for the inner shell
tap_run "bash takes it" bash -c '. "$0" && complete -p gotrace' "$top/system/gotrace.bash"
tap_done

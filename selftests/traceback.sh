# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the tests of gotrace stacks have in common, for scripts to source; on
# command.sh. The task that is meant is $tid.

# shellcheck source=SCRIPTDIR/command.sh
. "$(dirname "${BASH_SOURCE[0]}")/command.sh"
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
trap 'kill $(jobs -p) 2> /dev/null; rm -rf "$said"' EXIT

# build SOURCE OUTPUT OPTION...: with frame pointers.
build() {
	local from=$1 to=$2
	shift 2
	gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls "$@" \
		-pthread -o "$to" "$here/$from" || { echo "Bail out! gcc fails"; exit 1; }
}
build prog_stacks.c naps -DTAG=one -DNAP_S=10000
build prog_traceback.c hard

# start COMMAND...: it goes on, and is $tid.
start() {
	: > "$said/started"
	"$@" > "$said/started" 2>&1 &
	tid=$!
}
# start_said COMMAND...: the same, but $tid is what it prints first.
start_said() {
	start "$@"
	for _ in {1..200}; do
		tid=$(head -n 1 "$said/started")
		[ -z "$tid" ] || return 0
		sleep 0.05
	done
	tid=0
	cat "$said/started" >> "$said/err"
}
# asleep TID: wait until it is in a call and sleeps there.
asleep() {
	for _ in {1..200}; do
		! grep -q '^[0-9]' "/proc/$1/syscall" 2> /dev/null || return 0
		sleep 0.05
	done
	return 1
}
# start_sleepers COUNT: their tids are in $said/tids; closing 9 ends them.
start_sleepers() {
	mkfifo hold
	sleepers "$1" < hold > "$said/tids" 2>> "$said/err" &
	exec 9> hold
	for _ in {1..300}; do
		[ "$(wc -l < "$said/tids")" = $(($1 + 1)) ] && break
		sleep 0.1
	done
}

# text OPTION...: what is said, of $tid alone.
text() { gotrace stacks -p "$tid" "$@" > "$said/out" 2> "$said/err"; }
# looks LINE...: the text is these lines, each a regular expression, and an empty one.
looks() {
	local line n=0
	while IFS= read -r line; do
		n=$((n + 1))
		if [ $# = 0 ]; then
			[ -z "$line" ] && return
			echo "line $n is too much: $line" >> "$said/err"
			return 1
		fi
		[[ $line =~ ^$1$ ]] || { echo "line $n is '$line', not '$1'" >> "$said/err"; return 1; }
		shift
	done < "$said/out"
	echo "lines are missing: $*" >> "$said/err"
	return 1
}
# head_is REGEX: the text's first line.
head_is() {
	[[ $(head -n 1 "$said/out") =~ ^$1$ ]]
}
# has_frames FN...: these frames, one below the other.
has_frames() {
	grep -v "^$(printf '\t')" "$said/out" | tr '\n' ';' > "$said/frames"
	local IFS=';'
	grep -qF -- ";$*;" "$said/frames" && return
	{ echo "there is no $*"; cat "$said/frames"; } >> "$said/err"
	return 1
}
# line TEXT NTH FILE: the number of the line with that in it.
line() { grep -nF -- "$1" "$here/$3" | sed -n "$2s/:.*//p"; }

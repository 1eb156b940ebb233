# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Points of a test in TAP, for scripts to source. A script ends with tap_done.

tap_points=0 tap_failed=0

# tap_ok NAME, tap_not_ok NAME [WHY]: a point.
tap_ok() {
	tap_points=$((tap_points + 1))
	echo "ok $tap_points $1"
}

tap_not_ok() {
	tap_points=$((tap_points + 1)) tap_failed=$((tap_failed + 1))
	[ -z "${2:-}" ] || printf '%s\n' "$2" | sed 's/^/# /'
	echo "not ok $tap_points $1"
}

# tap_is NAME WANT GOT: they are the same words.
tap_is() {
	if [ "$2" = "$3" ]; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "wanted '$2', got '$3'"
	fi
}

# tap_num NAME A OP B: as test(1) compares numbers; a word that is none fails.
tap_num() {
	if test "$2" "$3" "$4" 2> /dev/null; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "wanted $2 $3 $4"
	fi
}

# tap_run NAME COMMAND...: it succeeds. Its output is shown when it does not.
tap_run() {
	local name=$1 out rc=0
	shift
	out=$("$@" 2>&1) || rc=$?
	if [ $rc = 0 ]; then
		tap_ok "$name"
	else
		tap_not_ok "$name" "exit status $rc: $*
$out"
	fi
	return $rc
}

tap_done() {
	echo "1..$tap_points"
	[ $tap_failed = 0 ]
	exit
}

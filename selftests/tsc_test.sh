#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The kernel trusts the TSC no more, while it is a session's clock: that session ends
# well, and the next one takes another. Its own guest, since that is for good.
# vm: timeout=60 alone slow
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/command.sh
. "$here/command.sh"

kmod=$(dirname "$GOTRACE_KO")
distrust=$(dirname "$kmod")/guest-${kmod##*/kmod-}/selftests/vm/module/tsc_unstable.ko
if [ -z "${ALONE:-}" ] || ! [ -e "$distrust" ]; then
	echo "ok 1 # SKIP not in a guest"
	echo 1..1
	exit 4
fi

clock() { gotrace status | sed -n 's/^clock *//p'; }
# traced NAME COMMAND...: the clock that its session has.
traced() {
	run 0 gotrace record -o "$1.trace" -- bash -c "$(declare -f clock)"'
		clock; storm -t 200 fork; "$@"; storm -t 200 fork; clock' - "${@:2}"
}

traced tsc_trusted true
tap_is "it is trusted" "tsc tsc" "$(xargs < "$said/out")"
traced tsc_lost insmod "$distrust"
tap_is "a session keeps it" "tsc tsc" "$(xargs < "$said/out")"
dmesg | grep -q 'Marking TSC unstable due to a test'
ok "it is not trusted any more"
traced tsc_after true
tap_is "the next takes another" "mono mono" "$(xargs < "$said/out")"
run 0 gotrace record --clock tsc -o tsc_forced.trace -- storm -t 200 fork
ok "it may still be asked for"
tap_done

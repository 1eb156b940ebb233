#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Idle periods as stopped processors, with every clock: a thread id that one
# processor gives back is at once another's, and Go wants no two to have it at
# the same tick.
# vm: timeout=200
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/tap.sh
. "$here/tap.sh"

# Sleeps in calls hand thread ids on, too: two that read folders.
# shellcheck disable=SC2012,SC2317 # for its calls; run by what is recorded
walk() {
	ls -lR /usr/lib 2> /dev/null | head -n 1500 > /dev/null
}

for clock in tsc mono boot; do
	gotrace record --idle --clock $clock --stacks none --syscalls calls \
		-o idle_$clock.trace -- bash -c "$(declare -f walk); walk & walk; wait" 2> /dev/null
	tap_num "$clock: processors stop" \
		"$(gotrace dump idle_$clock.trace | awk '$4 == "ProcStop"' | wc -l)" -ge 200
done
tap_done

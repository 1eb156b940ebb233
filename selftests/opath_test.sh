#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The file behind a number may be another by the time a task sleeps: what only
# looks like a socket must not be taken for one.
# vm: timeout=60
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/tap.sh
. "$here/tap.sh"

gotrace record --stacks none --syscalls calls -o opath.trace -- sh -c 'opath > tid' 2> /dev/null
tid=$(cat tid)
count() {
	gotrace dump opath.trace | awk -v g="$tid" -v name="$1" '$3 == g && $4 == name' | wc -l
}
tap_num "sleeps for a file that tells nothing" "$(count GoBlock)" -ge 20
tap_is "and none for a network" 0 "$(count GoBlockNet)"
tap_done

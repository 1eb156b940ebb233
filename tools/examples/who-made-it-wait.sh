#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# who-made-it-wait.sh TRACE TASK: for what a task was asleep, and who woke it; TASK is
# an id, or a name, which may be many tasks'.
set -eu -o pipefail
[ $# = 2 ] || { sed -n '3,4s/^# //p' "$0" >&2; exit 2; }

gotrace dump --order time "$1" | awk -v task="$2" "$(cat "$(dirname "$0")/tasks.awk")"'
was == "asleep" && now == "ready" && is(G, task) {
	k = sprintf("%-16s %s", why, who(waker))
	n[k]++
	sum[k] += took
	if (took > max[k])
		max[k] = took
}
END {
	for (k in n)
		printf "%10.3f %7d %10.3f  %s\n", sum[k], n[k], max[k], k
}' | sort -rn | {
	printf '%10s %7s %10s  %-16s %s\n' 'total ms' times 'longest' 'asleep in' 'woken by'
	cat
}

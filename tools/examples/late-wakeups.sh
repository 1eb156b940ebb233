#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# late-wakeups.sh TRACE [N]: the N (10) longest times that a task was ready and did
# not run, and who had the CPU that it then got.
set -eu -o pipefail
[ $# = 1 ] || [ $# = 2 ] || { sed -n '3,4s/^# //p' "$0" >&2; exit 2; }

printf '%10s %10s  %-20s %4s  %s\n' 'waited ms' 'at ms' task cpu 'after'
gotrace dump --order time "$1" | awk "$(cat "$(dirname "$0")/tasks.awk")"'
now == "running" && was == "ready" {
	printf "%10.3f %10.3f  %-20s %4d  %s\n", took, t - took, who(G), $2,
		$2 in before ? who(before[$2]) : "-"
}
was == "running" { before[cpu[G]] = G }
' | sort -rn | sed -n "1,${2:-10}p"

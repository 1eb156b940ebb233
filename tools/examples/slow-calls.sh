#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# slow-calls.sh TRACE [TASK]: which system calls take how long, and whose and when the
# longest was; of all tasks, or of one, by id or name. Wants --syscalls regions.
set -eu -o pipefail
[ $# = 1 ] || [ $# = 2 ] || { sed -n '3,4s/^# //p' "$0" >&2; exit 2; }

gotrace dump --order time "$1" | awk -v task="${2-}" "$(cat "$(dirname "$0")/tasks.awk")"'
$4 != "UserRegion" || (task != "" && !is($3, task)) { next }
{ c = val("name") }
c !~ /^syscall\./ { next }
val("mode") == 0 { began[$3, c] = t; next }
($3, c) in began {
	d = t - began[$3, c]
	delete began[$3, c]
	n[c]++
	sum[c] += d
	if (d >= max[c]) {
		max[c] = d
		whose[c] = who($3)
		when[c] = t - d
	}
}
END {
	for (c in n)
		printf "%10.3f %7d %10.3f %10.3f  %-20s %s\n", sum[c], n[c], max[c],
			when[c], substr(c, 9), whose[c]
}' | sort -rn | {
	printf '%10s %7s %10s %10s  %-20s %s\n' 'total ms' calls longest 'at ms' call 'by'
	cat
}

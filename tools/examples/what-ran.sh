#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what-ran.sh TRACE FROM TO: which tasks ran on which CPU for how long between two
# moments, in ms since the beginning of the trace.
set -eu -o pipefail
[ $# = 3 ] || { sed -n '3,4s/^# //p' "$0" >&2; exit 2; }

gotrace dump --order time "$1" | awk -v from="$2" -v to="$3" "$(cat "$(dirname "$0")/tasks.awk")"'
function ran(g, begin, end) {
	if (begin < from)
		begin = from
	if (end > to)
		end = to
	if (begin < end)
		ms[cpu[g] " " g] += end - begin
}
was == "running" { ran(G, t - took, t) }
END {
	for (g in state)
		if (state[g] == "running")
			ran(g, since[g], t)
	for (k in ms) {
		split(k, part, " ")
		printf "%4d %10.3f %5.1f%%  %s\n", part[1], ms[k],
			100 * ms[k] / (to - from), who(part[2])
	}
}' | sort -k1,1n -k2,2rn | {
	printf '%4s %10s %6s  %s\n' cpu ms '' task
	cat
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# late-frames.sh TRACE TASK CALL MS: of a task, by id or name, that ends every turn of
# its loop with a system call (clock_nanosleep, poll, ...), the turns that took longer
# than MS: what it did meanwhile, and for what it slept. Wants --syscalls regions.
set -eu -o pipefail
[ $# = 4 ] || { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }

gotrace dump --order time "$1" |
awk -v task="$2" -v ends="syscall.$3" -v limit="$4" -v trace="$1" -v dir="$(dirname "$0")" \
	"$(cat "$(dirname "$0")/tasks.awk")"'
function add(g, what, ms) {
	if (!(g in begin) || ms <= 0)
		return
	if (ms > t - begin[g])
		ms = t - begin[g]
	spent[g, what] += ms
	if (index(list[g], what "|") == 0)
		list[g] = list[g] what "|"
}
is(G, task) && was != "" { add(G, was == "asleep" ? "asleep in " why : was, took) }
$4 != "UserRegion" || !is($3, task) || val("name") != ends { next }
val("mode") == 1 { begin[$3] = t; list[$3] = ""; next }
($3 in begin) {
	add($3, state[$3], t - since[$3])
	n = split(list[$3], what, "|") - 1
	if (t - begin[$3] > limit) {
		late++
		printf "%s: %.3f ms, from %.3f to %.3f\n", who($3), t - begin[$3], begin[$3], t
		for (i = 1; i <= n; i++)
			printf "%12.3f ms %s\n", spent[$3, what[i]], what[i]
		printf "%15s %s/what-ran.sh %s %.3f %.3f\n", "", dir, trace, begin[$3], t
	}
	for (i = 1; i <= n; i++)
		delete spent[$3, what[i]]
	delete begin[$3]
	turns++
}
END { printf "%d of %d turns took longer than %s ms\n", late, turns, limit }'

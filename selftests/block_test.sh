#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Why tasks sleep: for each kind of sleep that prog_block.c makes, the event and
# the call that it says must be there, in every mode of system calls.
# vm: timeout=200
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/tap.sh
. "$here/tap.sh"
# shellcheck source=SCRIPTDIR/events.sh
. "$here/events.sh"

# judge MODE: a line for each kind of $out, "ok NAME" or "bad NAME WHY".
judge() {
	awk -v mode="$1" '
	function leaf(    i, f) {
		for (i = 5; i <= NF; i++)
			if (index($i, "frames=") == 1) {
				f = substr($i, 8)
				sub(/;.*/, "", f)
				return f
			}
		return ""
	}
	function bad(why) { if (!(k in wrong)) wrong[k] = why }
	FNR == NR {
		kind[$2] = $1; times[$2] = $3; event[$2] = $4
		call[$2] = "syscall." $5
		if ($5 == "-")
			call[$2] = ""
		order[++kinds] = $2
		next
	}
	# the line before, on the same P
	{ before = last[$2]; last[$2] = $3 " " $4 " " leaf() }
	!($3 in kind) { next }
	{ n[$3, $4]++; n[$3, $4, leaf()]++ }
	$4 == "UserRegion" { n[$3, $6, $7]++; n[$3, $6]++ }
	$4 == "GoSysBlock" && before == $3 " GoSysCall " call[$3] { n[$3, "disk"]++ }
	END {
		for (i = 1; i <= kinds; i++) {
			k = order[i]; want = event[k]
			if (mode == "off" && want == "GoSysBlock")
				want = "GoBlock"
			seen = n[k, want]
			if (want == "GoSysBlock")
				seen = n[k, "disk"]
			else if (mode != "off" && call[k])
				seen = n[k, want, call[k]]
			if (seen < times[k])
				bad(sprintf("%d %s in %s of %d", seen, want, call[k], times[k]))
			if (mode == "calls" && n[k, "GoSysCall", call[k]] < times[k] && call[k])
				bad(n[k, "GoSysCall", call[k]] + 0 " GoSysCall " call[k])
			if (mode == "regions" && call[k] && n[k, "mode=0", "name=" call[k]] < times[k])
				bad(n[k, "mode=0", "name=" call[k]] + 0 " regions " call[k])
			if (n[k, "mode=0"] != n[k, "mode=1"])
				bad(n[k, "mode=0"] + 0 " regions begin, " n[k, "mode=1"] + 0 " end")
			if (mode != "regions" && n[k, "UserRegion"])
				bad(n[k, "UserRegion"] " regions")
			if (mode == "off" && n[k, "GoSysCall"])
				bad(n[k, "GoSysCall"] " GoSysCall")
			if (n[k, "GoEnd"] != 1)
				bad(n[k, "GoEnd"] + 0 " GoEnd")
			print (k in wrong ? "bad" : "ok"), kind[k], wrong[k]
		}
	}' "$out" "$text"
}

for mode in off calls regions; do
	record "block_$mode" --syscalls $mode -- block || continue
	judge $mode > "$events_dir/verdicts"
	tap_num "$mode: every kind is judged" "$(wc -l < "$events_dir/verdicts")" -gt 30
	while read -r verdict name why; do
		if [ "$verdict" = ok ]; then
			tap_ok "$mode.$name"
		else
			tap_not_ok "$mode.$name" "$why"
		fi
	done < "$events_dir/verdicts"
done
tap_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# System calls by name and number, as often as they were made.
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/tap.sh
. "$here/tap.sh"
# shellcheck source=SCRIPTDIR/events.sh
. "$here/events.sh"

any='.*'

if record calls_off --syscalls off -- oddcalls 50; then
	tap_is "off: no call is in the trace" 0 \
		"$(count by "$any" 'GoSysCall|UserRegion|GoSysBlock')"
fi

if record calls_calls --syscalls calls -- oddcalls 50; then
	while read -r pid times name; do
		tap_is "calls: $times times $name" "$times" \
			"$(count by "$pid" GoSysCall "$name")"
	done < "$out"
	tap_is "calls: no regions" 0 "$(count by "$any" UserRegion)"
fi

if record calls_regions --syscalls regions -- oddcalls 50; then
	while read -r pid times name; do
		for mode in 0 1; do
			tap_is "regions: $times times $name, mode $mode" "$times" \
				"$(count by "$pid" UserRegion "mode=$mode,name=$name")"
		done
	done < "$out"
	tap_is "regions: each begins with a frame of its own name" 0 "$(awk '
		$4 == "UserRegion" && $6 == "mode=0" {
			name = substr($7, 6)
			if (index($9, "frames=" name ";") != 1)
				n++
		}
		END { print n + 0 }' "$text")"
	tap_is "regions: every GoSysCall stands before a GoSysBlock" \
		"$(count by "$any" GoSysBlock)" "$(count by "$any" GoSysCall)"
fi
tap_done

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What runs that went well leave for docs/reliability.md (reliability.sh): how often
# something was done. For scripts to source.

# figures_keep KERNEL NAME < LOG: the lines "# figure: WHAT NUMBER" of a test's log, in
# the place of those of its last run on that kernel.
figures_keep() {
	local dir text
	dir=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")/build/figures/$1
	text=$(sed -n "s/^# figure: \(.*\) \([0-9][0-9]*\)\$/$(date -u +%F)\t\1\t\2/p")
	[ -n "$text" ] || return 0
	mkdir -p "$dir"
	printf '%s\n' "$text" > "$dir/$2"
}

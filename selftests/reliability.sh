#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Put together docs/reliability.md: what was done to the module, how often, on which
# kernel, without a fault. From what runs left in build/figures (figures.sh): make
# check SLOW=1, check-debug, soak, fuzz. `make reliability` comes here.
set -eu -o pipefail
top=$(dirname "$(dirname "$(readlink -f "$0")")")
figures=$top/build/figures

[ -d "$figures" ] || { echo "reliability.sh: no figures: make check, check-debug, soak or fuzz leave some" >&2; exit 1; }
cd "$figures"
for f in */*; do
	awk -F'\t' -v kernel="${f%%/*}" -v name="${f#*/}" -v OFS='\t' \
		'{ print $2, kernel, $3, $1, name }' "$f"
done | sort | awk -F'\t' '
BEGIN {
	print "# What it has stood"
	print ""
	print "How often what was done, on which kernel, in runs in which all went well: no word"
	print "of the kernel'\''s checkers, no leak, every trace accepted by both Go'\''s. Made by"
	print "`make reliability` from the figures that runs leave; a newer run of the same test"
	print "on the same kernel takes the place of the older. \"host\" is no kernel of ours: the"
	print "tools on their own."
	print ""
	print "| what | kernel | how often | when | in |"
	print "|---|---|---:|---|---|"
}
function line() {
	if (n)
		printf "| %s | %s | %s | %s | %s |\n", what, kernel, sum, date, names
}
$1 != what || $2 != kernel {
	line()
	what = $1; kernel = $2; sum = 0; date = ""; names = ""
	delete seen
}
{
	n++
	sum += $3
	date = $4 > date ? $4 : date
	if (!seen[$5]++)
		names = names (names ? ", " : "") $5
}
END { line() }' > "$top/docs/reliability.md"
echo docs/reliability.md

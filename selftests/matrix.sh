#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tests that need the module, in every kernel that fetch/kernel.sh knows, one
# after another, and one table of them. `make check-matrix` comes here.
set -u
here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$here")
all="5.10 6.1 6.1-rt 6.12 newest"
out=$top/build/check-matrix

case ${1:-} in
-h|--help)
	cat <<-USAGE
	Usage: matrix.sh [NAME...]
	Runs all tests that need the module, or those whose names contain NAME.
	Environment:
	  KVER="TAG..."  these kernels instead of $all
	Logs and traces of each are left in build/check-matrix/TAG.
	USAGE
	exit 0;;
esac
read -ra kernels <<< "${KVER:-$all}"

mkdir -p "$out"
rc=0 logs=()
for kver in "${kernels[@]}"; do
	echo "# kernel $kver"
	rm -rf "${out:?}/$kver"
	KVER=$kver GUESTS=1 "$here/run.sh" "$@" > "$out/$kver.log" 2>&1 || rc=1
	grep -E '^not ok' "$out/$kver.log"
	tail -n 1 "$out/$kver.log"
	mv "$top/build/check" "$out/$kver"
	logs+=("$out/$kver.log")
done

# The table: what a test's points were in each kernel.
awk '
	FNR == 1 { k++ }
	/^# [a-z_0-9]+: [0-9]+ ok, [0-9]+ not ok/ {
		name = substr($2, 1, length($2) - 1)
		if (!(name in seen)) {
			seen[name] = 1
			names[++n] = name
		}
		cell[name, k] = $5 ? $3 " ok, " $5 " not" : $3 " ok"
	}
	END {
		printf "\n| Test |"
		for (i = 1; i < ARGC; i++) {
			tag = ARGV[i]
			gsub(/.*\/|\.log$/, "", tag)
			printf " %s |", tag
		}
		printf "\n|---|"
		for (i = 1; i < ARGC; i++)
			printf "---|"
		printf "\n"
		for (j = 1; j <= n; j++) {
			printf "| %s |", names[j]
			for (i = 1; i < ARGC; i++)
				printf " %s |", (names[j], i) in cell ? cell[names[j], i] : "-"
			printf "\n"
		}
	}' "${logs[@]}"
awk '
	/^[0-9]+ passed, [0-9]+ failed/ { p += $1; f += $3; s += $5 }
	END { printf "\n%d passed, %d failed%s\n", p, f, s ? ", " s " skipped" : "" }' "${logs[@]}"
exit $rc

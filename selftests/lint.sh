#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Everything that finds faults without running gotrace; `make lint`. What is not
# installed is said and left out. FORMAT=1 also shows what clang-format would do.
# shellcheck disable=SC2317	# functions are called through check
set -u -o pipefail

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$here")
cd "$top" || exit 1
kver=${KVER:-6.1}
bad=0

"$here/fetch/deps.sh" || exit 1
kselftest=$("$here/fetch/fetch.sh" kselftest) || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# check NAME COMMAND...: prints only what a failing one says.
check() {
	local name=$1
	shift
	if "$@" > "$tmp/out" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		tail -n "${LOG_LINES:-60}" "$tmp/out" | sed 's/^/    /'
		bad=1
	fi
}

# need NAME COMMAND: is COMMAND there to check NAME with?
need() {
	command -v "$2" > /dev/null && return
	echo "skipped $1: no $2"
	return 1
}

# Names as lists; files that git knows or would take.
files() { git ls-files --cached --others --exclude-standard -- "$@" | sort -u; }

# The header is all that programs in C and C++ get.
for h in $(files 'uapi/*.h'); do
	check "$h alone, C90" gcc -std=c90 -pedantic -Wall -Wextra -Werror \
		-Iuapi -fsyntax-only -x c "$h"
	check "$h alone, C++" g++ -std=c++98 -pedantic -Wall -Wextra -Werror \
		-Wno-long-long -Iuapi -fsyntax-only -x c++ "$h"
done

shell_files() {
	local f
	files '*' | while read -r f; do
		[ -f "$f" ] || continue
		case $f in
		*.sh|*.bash) echo "$f";;
		*) ! head -c 64 "$f" | grep -qaE '^#!/bin/(ba|busybox )?sh' || echo "$f";;
		esac
	done
}
if need shellcheck shellcheck; then
	for f in $(shell_files); do
		s=()
		! head -n 1 "$f" | grep -q busybox || s=(-s dash)
		check "shellcheck $f" shellcheck -x ${s[@]+"${s[@]}"} "$f"
	done
fi

# Sparse sees every file, in a folder beside the one that is loaded.
sparse_clean() {
	make -s modules KVER="$kver" KMOD=build/lint-"$kver" C=2 CHECK="sparse" \
		> "$tmp/sparse" 2>&1 || { cat "$tmp/sparse"; return 1; }
	! grep -E '^[^ ]*/build/lint-[^ ]*: (warning|error):|^[^ ]*(kmod|uapi)/[^ ]*: (warning|error):' \
		"$tmp/sparse"
}
if need sparse sparse; then
	check "sparse" sparse_clean
fi

# checkpatch takes the tree to be the kernel's where it may not: file paths,
# MAINTAINERS, and commit messages are not its matter here.
checkpatch() {
	local more=
	# The one file whose matter is kernel versions, and what they once had.
	[ "$1" != kmod/compat.h ] || more=--ignore=LINUX_VERSION_CODE,CONSTANT_COMPARISON,DEPRECATED_API
	"$kselftest/scripts/checkpatch.pl" --no-tree --no-summary --terse --quiet \
		--show-types --max-line-length=100 \
		--ignore EMBEDDED_FILENAME,FILE_PATH_CHANGES,EMAIL_SUBJECT,CONST_STRUCT,SPLIT_STRING \
		--ignore PREFER_DEFINED_ATTRIBUTE_MACRO,LONG_LINE_COMMENT \
		${more:+"$more"} -f "$@"
}
if need checkpatch perl; then
	for f in $(files 'kmod/*.[ch]' 'uapi/*.h'); do
		check "checkpatch $f" checkpatch "$f"
	done
	for f in $(files 'kmod/*.[ch]' 'uapi/*.h'); do
		check "kernel-doc $f" "$kselftest/scripts/kernel-doc" -none -Werror "$f"
	done
fi

gofmt_clean() { [ -z "$("$1" -d "$here"/{gocheck,goprint}/*.go | tee /dev/stderr)" ]; }
if [ -n "$(files 'selftests/*.go')" ]; then
	goroot=$("$here/fetch/fetch.sh" go newest) || exit 1
	check "gofmt" gofmt_clean "$goroot/bin/gofmt"
fi

if [ -n "${FORMAT:-}" ] && need clang-format clang-format; then
	for f in $(files 'kmod/*.[ch]' 'tools/*.[ch]' 'tools/lib/*.[ch]'); do
		check "clang-format $f" clang-format --dry-run -Werror "$f"
	done
fi
exit $bad

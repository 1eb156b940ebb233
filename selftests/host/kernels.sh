#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module builds for every kernel that is in the cache, without a word; and
# what is said about kernels that it does not fit.
set -u

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
# shellcheck source=SCRIPTDIR/../tap.sh
. "$here/../tap.sh"
# shellcheck source=SCRIPTDIR/../fetch/lib.sh
. "$here/../fetch/lib.sh"

# modules ARG...: what the tree's make says, but that it failed, and its exit status.
modules() {
	local out rc
	out=$(make -s -C "$top" modules "$@" 2>&1)
	rc=$?
	grep -v '^make.*\*\*\*' <<< "${out:-said nothing}"
	echo "exit status $rc"
}
fine="said nothing
exit status 0"

# What was built stays for the next time, so a warning must be an error.
kmod=build/kernels
for tag in $("$here/../fetch/fetch.sh" --kernels); do
	[ -d "$GOTRACE_CACHE/kernel/$tag" ] || continue
	tap_is "it builds for $tag" "$fine" "$(modules -j2 KVER="$tag" KMOD="$kmod/$tag" KCFLAGS=-Werror)"
done

# headers VERSION STATUS: as far as make looks at them, of a kernel for which
# the build ends with STATUS.
headers() {
	mkdir -p headers
	printf 'kernelversion:\n\t@echo %s\nmodules:\n\t@exit %d\n' "$1" "$2" > headers/Makefile
}
fake() { modules KDIR="$PWD/headers" KMOD="$kmod/fake"; }
newest=$(sed -n 's/^NEWEST[[:space:]]*:= //p' "$top/Makefile")

headers 5.9.16 0
tap_is "an older kernel than it needs is told in one line" \
	"gotrace needs Linux 5.10 or newer, and '$PWD/headers' is of 5.9.16.
exit status 2" "$(fake)"
headers 99.1.0 0
tap_is "a newer one is tried" "$fine" "$(fake)"
headers 99.1.0 1
tap_is "a newer one that does not build is told in one line" \
	"gotrace knows Linux up to $newest, and does not build for 99.1.0: kmod/compat.h is where to tell it what changed.
exit status 2" "$(fake)"
headers 6.1.99 1
tap_is "of one that it knows only the compiler speaks" "exit status 2" \
	"$(fake)"
rm -rf headers
tap_done

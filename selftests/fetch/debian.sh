# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# A fresh Debian to install packages into: debootstrap's smallest, and nothing
# else. Sourced. Needs root.
#
# $GOTRACE_CACHE/debian/SUITE/root/

fetch_debian() { make_dir "debian/$1" make_debian "$1"; }

make_debian() {
	local suite=$2 lines uri
	lines=$(suite_lines "$suite")
	uri=$(head -n 1 <<< "$lines" | sed 's/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/')
	say "debian $suite: debootstrap from $uri"
	debootstrap --variant=minbase "$suite" root "$uri" > log || {
		tail log >&2
		die "debootstrap failed"
	}
	echo "$lines" > root/etc/apt/sources.list
}

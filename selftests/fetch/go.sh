# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Go, from Debian's packages, as one GOROOT that can be built in. Sourced.
#
# $GOTRACE_CACHE/go/TAG/	a GOROOT; bin/go is the command

# tag, suite, version (newest: the highest golang-X.Y-go of the suite)
go_table() {
	cat <<-TABLE
	1.21	bookworm-backports	1.21
	newest	trixie-backports	newest
	TABLE
}

fetch_go() {
	local row
	row=$(go_table | awk -v t="$1" '$1 == t { print $2, $3 }')
	[ -n "$row" ] || die "unknown go '$1'; known: $(go_table | cut -f1 | xargs)"
	# shellcheck disable=SC2086
	make_dir "go/$1" make_go $row
}

make_go() {
	local suite=$2 ver=$3 bin src
	suite_update "$suite"
	if [ "$ver" = newest ]; then
		ver=$(apt_do "$suite" apt-cache pkgnames golang-1. |
			sed -n 's/^golang-\(1\.[0-9]*\)-go$/\1/p' | sort -V | tail -n 1)
		[ -n "$ver" ] || die "$suite has no golang-1.*-go"
	fi
	say "go $ver: golang-$ver-go golang-$ver-src"
	pkg_download "$suite" "golang-$ver-go" "golang-$ver-src"
	mkdir root
	for f in ./*.deb; do
		dpkg-deb -x "$f" root
	done
	rm -f ./*.deb
	# The -go package's folder has links into the -src package's, by
	# absolute path for some: lay both over each other.
	bin=root/usr/lib/go-$ver src=root/usr/share/go-$ver
	go_lay "$src"
	go_lay "$bin"
	rm -rf root
	if ! [ -x bin/go ] || ! [ -d src/internal/trace ]; then
		die "golang-$ver: no bin/go or no src/internal/trace"
	fi
	echo "$ver" > gotrace.version
}

# Copy what is no link; the links only point from one part to the other.
go_lay() {
	( cd "$1" && find . -type l -prune -o -type f -print0 |
		tar -c --null -T - ) | tar -x
}

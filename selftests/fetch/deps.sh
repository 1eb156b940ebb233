#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Install what building and testing need, and only what is missing; with "deb",
# "browser" or "kernel", also what Debian packages, the test of gotrace view's page,
# or building a kernel need.
set -eu

# package	command or file that shows it is there
deps() {
	cat <<-TABLE
	gcc			gcc
	make			make
	libc6-dev		/usr/include/stdio.h
	g++			g++
	bc			bc
	cpio			cpio
	kmod			depmod
	xz-utils		xz
	zstd			zstd
	gzip			gzip
	binutils		strip
	perl			perl
	pkg-config		pkg-config
	libdw-dev		/usr/include/elfutils/libdwfl.h
	libprotobuf-c-dev	/usr/include/protobuf-c/protobuf-c.h
	protobuf-c-compiler	protoc-c
	protobuf-compiler	protoc
	zlib1g-dev		/usr/include/zlib.h
	libmicrohttpd-dev	/usr/include/microhttpd.h
	nodejs			node
	npm			npm
	python3			python3
	sqlite3			sqlite3
	curl			curl
	busybox-static		busybox
	qemu-system-x86		qemu-system-x86_64
	shellcheck		shellcheck
	sparse			sparse
	mandoc			mandoc
	libcap2-bin		setcap
	clang			clang
	bash-completion		/usr/share/bash-completion/bash_completion
	linux-perf		perf
	debuginfod		debuginfod
	TABLE
	[ "$1" != browser ] || cat <<-TABLE
	chromium		chromium
	fonts-dejavu-core	/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
	TABLE
	[ "$1" != deb ] || cat <<-TABLE
	debhelper		dh
	dh-dkms			dh_dkms
	dpkg-dev		dpkg-buildpackage
	lintian			lintian
	debootstrap		debootstrap
	TABLE
	# elfutils loads it by name.
	for f in /usr/lib/*/libdebuginfod.so.1; do
		[ -e "$f" ] || echo "libdebuginfod1 /nonexistent"
	done
	# With the fuzzer in it.
	for f in /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a; do
		[ -e "$f" ] || echo "libclang-rt-dev /nonexistent"
	done
	[ "$1" != kernel ] || cat <<-TABLE
	flex			flex
	bison			bison
	libelf-dev		/usr/include/libelf.h
	TABLE
	# Kernels are configured with CONFIG_UNWINDER_ORC: objtool links
	# against it when a module is built.
	for f in /usr/lib/*/libelf.so.1; do
		[ -e "$f" ] || echo "libelf1 /nonexistent"
	done
}

missing=$(deps "${1:-}" | while read -r pkg probe; do
	case $probe in
	/*) [ -e "$probe" ] || echo "$pkg";;
	# /usr/sbin is not in everybody's PATH.
	*) PATH=$PATH:/usr/sbin:/sbin command -v "$probe" > /dev/null || echo "$pkg";;
	esac
done)
[ -n "$missing" ] || exit 0

# shellcheck disable=SC2086
set -- $missing
if ! command -v apt-get > /dev/null; then
	echo "deps.sh: please install what Debian calls: $*" >&2
	exit 1
fi
if [ "$(id -u)" != 0 ]; then
	echo "deps.sh: as root: apt-get install --no-install-recommends $*" >&2
	exit 1
fi
echo "deps.sh: installing $*" >&2
# RUNLEVEL=1: install daemons without starting them.
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
install() { apt-get install -q -q -y --no-install-recommends "$@" > /dev/null; }
# The lists may be absent or older than the mirror.
install "$@" 2> /dev/null || { apt-get -q -q update && install "$@"; }

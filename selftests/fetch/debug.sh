# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Kernels with the kernel's own checkers, built from Debian's package of its
# source: 6.1-kasan and 6.1-kcsan, which have what debug/NAME.config says. Sourced.
#
# $GOTRACE_CACHE/kernel/TAG-HASH/, HASH of all that the kernel is made from, holds
# what kernel.sh says, and config; build/ has what it takes to build a module.

DEBUG_SUITE=bookworm
DEBUG_SOURCE=linux-source-6.1

debug_tags() { printf '%s\n' 6.1-kasan 6.1-kcsan; }

# debug_fragments TAG: the files its configuration is made from.
debug_fragments() {
	# shellcheck disable=SC2154	# of fetch.sh
	printf '%s\n' "$here/debug/base.config" "$here/debug/${1#*-}.config"
}

# debug_hash TAG
debug_hash() {
	local f
	mapfile -t f < <(debug_fragments "$1")
	cat "${f[@]}" | sha256sum | cut -c 1-8
}

# Sets dir, for fetch.sh.
fetch_debug() {
	dir=kernel/$1-$(debug_hash "$1")
	make_dir "$dir" make_debug "$1"
}

# Runs in an empty temp folder, which becomes $1.
make_debug() {
	local tag=$2 t0=$SECONDS
	"$here/deps.sh" kernel
	suite_update $DEBUG_SUITE
	pkg_download $DEBUG_SUITE $DEBUG_SOURCE
	dpkg-deb -x $DEBUG_SOURCE*.deb .
	mkdir build
	xz -T0 -dc usr/src/$DEBUG_SOURCE.tar.xz | tar -x --strip-components=1 -C build
	rm -rf usr ./*.deb

	debug_configure "$tag"
	say "kernel $tag: building $(debug_make kernelversion), which takes half an hour or more"
	debug_make -j"${JOBS:-$(nproc)}" bzImage modules > log 2>&1 || {
		tail -n 30 log >&2
		die "the kernel does not build"
	}
	debug_make kernelrelease > release
	mv build/arch/x86/boot/bzImage vmlinuz
	mv build/.config config
	cp config build/.config
	debug_prune
	# All that a guest needs is built in.
	mkdir modules
	: > modules.order
	say "kernel $tag: $(cat release), built in $((SECONDS - t0)) s"
}

debug_make() { nice -n 19 make -s -C build ARCH=x86_64 "$@"; }

# What was asked for must be there: Kconfig drops silently what depends on
# something that is off.
debug_configure() {
	local want=() f missing
	mapfile -t want < <(debug_fragments "$1")
	debug_make tinyconfig > log 2>&1 || { tail log >&2; die "no tinyconfig"; }
	cat "${want[@]}" >> build/.config
	debug_make olddefconfig > log 2>&1 || { tail log >&2; die "no olddefconfig"; }
	missing=$(cat "${want[@]}" | grep '^CONFIG_' | grep -vxFf build/.config || true)
	[ -z "$missing" ] || {
		for f in $missing; do
			say "not set: $f"
		done
		die "the configuration of $1 is not what it should be"
	}
}

# Leave what building a module reads.
debug_prune() {
	rm -rf build/{Documentation,samples,usr,certs,LICENSES,vmlinux*,System.map,.tmp_*}
	find build -type f \
		! -path 'build/include/*' ! -path 'build/arch/x86/include/*' \
		! -path 'build/scripts/*' ! -path 'build/tools/objtool/objtool' \
		! -name 'Makefile*' ! -name 'Kbuild*' ! -name Module.symvers \
		! -path build/.config ! -path build/arch/x86/kernel/asm-offsets.s \
		-delete
	find build -name '*.o' -delete
	find build -name '.*.cmd' -delete
	find build -depth -type d -empty -delete
}

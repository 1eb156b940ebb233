# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Kernels, from Debian's packages, unpacked and not installed. Sourced.
#
# $GOTRACE_CACHE/kernel/TAG/
#	release		what uname -r says in the guest
#	vmlinuz
#	modules/	the few a guest needs, plain .ko
#	modules.order	their file names, in the order to load
#	build		-> the headers, what KDIR wants

# tag, suite, meta package of the image, of the headers
kernel_table() {
	cat <<-TABLE
	5.10	bullseye		linux-image-amd64	linux-headers-amd64
	6.1	bookworm		linux-image-amd64	linux-headers-amd64
	6.1-rt	bookworm		linux-image-rt-amd64	linux-headers-rt-amd64
	6.12	bookworm-backports	linux-image-amd64	linux-headers-amd64
	newest	trixie-backports	linux-image-amd64	linux-headers-amd64
	TABLE
}

# What the guest's init loads: the host's files over 9p, the command's output
# over a virtio port, a writable layer above.
GUEST_MODULES="virtio_pci virtio_console 9pnet_virtio 9p overlay"

kernel_row() { kernel_table | awk -v t="$1" '$1 == t { print $2, $3, $4 }'; }

fetch_kernel() {
	local tag=$1 row
	if debug_tags | grep -qxF "$tag"; then
		fetch_debug "$tag"
		return
	fi
	row=$(kernel_row "$tag")
	[ -n "$row" ] || die "unknown kernel '$tag'; known: $({ kernel_table | cut -f1; debug_tags; } | xargs)"
	# shellcheck disable=SC2086
	make_dir "kernel/$tag" make_kernel "$tag" $row
}

# Runs in an empty temp folder, which becomes $1.
make_kernel() {
	local final=$1 tag=$2 suite=$3 image=$4 headers=$5 pkgs rel hdr f
	suite_update "$suite"
	pkgs=$(pkg_closure "$suite" \
		'^linux-(image|binary|modules|headers|kbuild|base)-[0-9]' \
		"$image" "$headers")
	# The meta packages themselves are empty.
	pkgs=$(grep -vx -e "$image" -e "$headers" <<< "$pkgs")
	say "kernel $tag: $(xargs <<< "$pkgs")"
	mkdir debs root
	# shellcheck disable=SC2086
	( cd debs && pkg_download "$suite" $pkgs )
	for f in debs/*.deb; do
		dpkg-deb -x "$f" root
	done
	rm -rf debs

	kernel_pick_image
	rel=$(cat release)
	kernel_pick_modules "$rel"

	hdr=$(cd root && echo usr/src/linux-headers-"$rel")
	[ -e "root/$hdr/Makefile" ] || die "no headers for $rel in the packages"
	# The flavour's Makefile names the common headers by absolute path,
	# and .kernelvariables a compiler by version.
	sed -i -E "s#([= ])/usr/src/#\1$final/root/usr/src/#" "root/$hdr/Makefile"
	ln -s "root/$hdr" build
	kernel_wrap_tools "$final" "$suite"
}

# kbuild's programs of a newer Debian than this machine's want its C library:
# run them by that one's loader, with this machine's other libraries.
kernel_wrap_tools() {
	local final=$1 suite=$2 f tools=() libs=()
	while read -r f; do
		if ldd "$f" 2>&1 | grep -q 'GLIBC_.* not found'; then
			tools+=("$f")
		fi
	done < <(find root/usr/lib/linux-kbuild-* -type f -perm /111 ! -name '*.*sh')
	[ ${#tools[@]} -gt 0 ] || return 0
	# Backports do without a C library of their own.
	suite_update "${suite%-backports}"
	pkg_download "${suite%-backports}" libc6
	dpkg-deb -x libc6_*.deb libc
	rm libc6_*.deb
	mapfile -t libs < <(find libc -name 'ld-linux-*.so.*' -type f)
	[ ${#libs[@]} = 1 ] || die "no loader in libc6 of ${suite%-backports}"
	for f in "${tools[@]}"; do
		mv "$f" "$f.elf"
		cat > "$f" <<-TOOL
		#!/bin/sh
		exec $final/${libs[0]} --library-path $final/${libs[0]%/*} $final/$f.elf "\$@"
		TOOL
		chmod 755 "$f"
	done
}

kernel_pick_image() {
	local img
	img=$(find root \( -name 'vmlinuz-*' -o -name vmlinuz \) -type f -print -quit)
	[ -n "$img" ] || die "no kernel image in the packages"
	case $img in
	*/boot/vmlinuz-*) echo "${img##*/vmlinuz-}" > release;;
	*) basename "$(dirname "$img")" > release;;
	esac
	mv "$img" vmlinuz
}

# Keep the few modules that a guest needs, 5 MB instead of 300.
kernel_pick_modules() {
	local rel=$1 ko out
	# Before 7.x the packages still say /lib.
	[ -e root/lib ] || ln -s usr/lib root/lib
	depmod -b root "$rel" 2> /dev/null || die "depmod failed"
	mkdir modules
	for ko in $GUEST_MODULES; do
		# "builtin NAME" lines are what needs no loading.
		modprobe -d root -S "$rel" --show-depends "$ko"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' > modules.list
	[ -s modules.list ] || die "found none of: $GUEST_MODULES"
	while read -r ko; do
		out=$(basename "$ko")
		case $ko in
		*.xz) out=${out%.xz}; xz -dc "$ko" > "modules/$out";;
		*.zst) out=${out%.zst}; zstd -qdc "$ko" > "modules/$out";;
		*) cp "$ko" "modules/$out";;
		esac
		strip --strip-debug "modules/$out"
		echo "$out"
	done < modules.list > modules.order
	rm -rf modules.list root/lib/modules root/usr/lib/modules root/boot
	[ ! -L root/lib ] || rm root/lib
}

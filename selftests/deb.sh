#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The Debian packages of build/deb in a fresh Debian: installed there, module built
# by DKMS, loaded and used in a guest, removed again. `make check-deb` comes here;
# it takes minutes, and the network. Needs root. TAP on stdout.
set -u

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$here")
# shellcheck source=SCRIPTDIR/command.sh
. "$here/command.sh"
suite=bookworm tag=6.1
res=$top/build/check-deb
root=$res/root
version=$(cat "$top/VERSION")

"$here/fetch/deps.sh" deb || exit 1
base=$("$here/fetch/fetch.sh" debian $suite) || exit 1
rm -rf "$res"
mkdir -p "$res"

run 0 lintian --fail-on error,warning "$top"/build/deb/*.changes
ok "lintian"

# in_root COMMAND...: with /proc and /dev, which go when it has ended. What apt
# downloads is kept for the next time.
archives=${base%/*}/archives
mkdir -p "$archives/partial"
in_root() {
	# shellcheck disable=SC2016	# for the inner shell
	unshare --mount --pid --fork sh -ec '
		mount -t proc proc "$0/proc"
		mount --bind /dev "$0/dev"
		mount --bind "$1" "$0/var/cache/apt/archives"
		shift
		exec chroot "$root" "$@"' "$root" "$archives" "$@"
}
export root
cp -a "$base/root" "$root"
mkdir -p "$root/debs"
cp "$top"/build/deb/gotrace*_*.deb "$root/debs/"
rm -f "$root"/debs/*-dbgsym_*
cp "$here/deb/chroot.sh" "$root/debs/"
(cd "$root" && find etc usr lib var/lib/dkms -name '*gotrace*' 2> /dev/null | sort) > "$res/before"

if ! run 0 in_root /debs/chroot.sh; then
	cp "$said/out" "$res/install.log"
	find "$root/var/lib/dkms" -name make.log -exec cat {} + >> "$said/err"
	tap_not_ok "they install" "$(tail -n 30 "$said/out" "$said/err")"
	tap_done
fi
tap_ok "they install"

release=$(cd "$root/usr/src" && echo linux-headers-*-amd64)
release=${release#linux-headers-}
ko=$(find "$root/lib/modules/$release" -name 'gotrace.ko*')
is "$(find "$root/lib/modules/$release/" -name 'gotrace.ko*' | wc -l)" 1 "modules for $release" &&
	is "$(modinfo -F version "$ko")" "$version" "its version" &&
	is "$(modinfo -F vermagic "$ko" | cut -d' ' -f1)" "$release" "its kernel"
ok "DKMS built the module"
run 0 in_root dkms status && prints "gotrace/$version, $release, x86_64: installed"
ok "DKMS says so"
run 0 in_root gotrace --version && prints "gotrace $version"
ok "the command runs"
run 0 in_root getent group gotrace
ok "the group is there"
run 0 in_root sh -c 'cd /usr/share/man && ls -d man*/* | sed -n "s#.*/\(gotrace.*\)\.\([134]\)\.gz#\2 \1#p" | xargs -n 2 man -w'
ok "man finds the pages"

# The guest's kernel must be the one whose headers the fresh system has got.
kdir=$("$here/fetch/fetch.sh" kernel $tag)
[ "$(cat "$kdir/release")" = "$release" ] ||
	kdir=$("$here/fetch/fetch.sh" --refresh kernel $tag)
is "$(cat "$kdir/release")" "$release" "the guest's kernel"
ok "there is a guest with its kernel"
if run 0 "$here/vm/vm.sh" --kernel $tag --timeout 180 --out "$res" --log "$res/console" -- \
		"$here/deb/guest.sh" "$root"; then
	tap_ok "a guest loads and uses it"
else
	tap_not_ok "a guest loads and uses it" "$(cat "$said/out" "$said/err")"
fi
prints "before: 0" && prints "doctor: recording would work"
ok "the doctor agrees, before it is loaded and after"
prints "device: root gotrace 660"
ok "udev gives the device to the group"
prints "module: $version" && prints "recorded: yes" && prints "unloaded: yes"
ok "recorded and unloaded"
for go in 1.21 newest; do
	run 0 "$("$here/gocheck/build.sh" $go)" "$res/deb.trace"
	ok "Go $go takes the trace"
done

run 0 in_root /debs/chroot.sh purge &&
	(cd "$root" && find etc usr lib var/lib/dkms -name '*gotrace*' 2> /dev/null | sort) > "$said/out" &&
	diff "$res/before" "$said/out" > "$said/err"
ok "they leave nothing when purged"
rm -rf "$root"
tap_done

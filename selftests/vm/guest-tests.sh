#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest-tests.sh OUT NAME:TIMEOUT:MODULE:PROGRAM...: run tests one after the
# other, in the guest or, with HOST=1, on a machine that can load modules.
#
# Around each test the module is loaded and unloaded (MODULE: yes, no, or its
# parameters), and the kernel's log is searched. A test runs in an empty folder
# in memory, which is copied to OUT/NAME after it. Lines that begin with "@@ "
# are for run.sh, the rest is the test's own output.
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/console.sh
. "$here/console.sh"
# shellcheck source=SCRIPTDIR/kmemleak.sh
. "$here/kmemleak.sh"

out=$1
shift
loaded() { [ -d /sys/module/gotrace ]; }

for t in "$@"; do
	IFS=: read -r name timeout module prog <<< "$t"
	echo "@@ begin $name"
	dir=$(mktemp -d "/run/gotrace.$name.XXXXXX")
	chmod 755 "$dir"
	cd "$dir" || exit 1
	echo "gotrace test: $name" > /dev/kmsg
	dmesg --clear
	kmemleak_clear

	if [ "$module" != no ]; then
		[ "$module" != yes ] || module=
		# shellcheck disable=SC2086	# module parameters
		insmod "$GOTRACE_KO" $module || echo "@@ bad $name insmod failed"
	fi
	SECONDS=0
	timeout -k 10 "$timeout" "$prog" < /dev/null 2>&1
	rc=$?
	echo "@@ rc $name $rc $SECONDS"
	# A test that unloaded the module itself has nothing left to unload.
	if loaded; then
		rmmod gotrace || echo "@@ bad $name rmmod failed"
	fi
	kmemleak_show > "$dir/kmemleak"
	if [ -s "$dir/kmemleak" ]; then
		echo "@@ bad $name kmemleak shows:"
		head -n 60 "$dir/kmemleak"
	fi
	dmesg > "$dir/dmesg"
	if bad=$(console_bad "$dir/dmesg"); then
		echo "@@ bad $name the kernel's log shows:"
		echo "$bad"
	fi
	cd /
	mkdir -p "$out/$name"
	# Only files: the share has no place for a test's fifos and sockets.
	( cd "$dir" && find . -xdev -type f -print0 | tar -c --null -T - ) |
		tar -x -C "$out/$name" || echo "@@ bad $name cannot copy its files"
	# A test that was killed may have left something mounted.
	awk -v d="$dir/" 'index($2, d) == 1 { print $2 }' /proc/mounts |
		xargs -r umount -l
	rm -rf "$dir"
	echo "@@ end $name"
done
exit 0

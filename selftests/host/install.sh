#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make install, all but the module, into a folder: what is there, and that it is
# whole.
set -u

top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
# shellcheck source=SCRIPTDIR/../command.sh
. "$top/selftests/command.sh"
to=$said/to

tap_run "it installs" make -s -C "$top" install-tools install-system DESTDIR="$to" PREFIX=/usr
(cd "$to" && find . -type f -printf '%m %P\n' | sort -k 2) > "$said/files"
{
	echo 644 etc/modprobe.d/gotrace.conf
	echo 644 etc/sysusers.d/gotrace.conf
	echo 644 etc/udev/rules.d/60-gotrace.rules
	echo 755 usr/bin/gotrace
	echo 644 usr/include/gotrace.h
	echo 644 usr/lib/libgotrace.a
	echo "755 usr/lib/libgotrace.so.$(cat "$top/VERSION")"
	echo 644 usr/lib/pkgconfig/libgotrace.pc
	echo 644 usr/share/bash-completion/completions/gotrace
	for f in "$top"/tools/examples/*.sh; do
		echo "755 usr/share/doc/gotrace/examples/${f##*/}"
	done
	echo 644 usr/share/doc/gotrace/examples/pipeline.c
	echo 644 usr/share/doc/gotrace/examples/tasks.awk
	for f in "$top"/build/man/*; do
		echo "644 usr/share/man/man${f##*.}/${f##*/}"
	done
} | sort -k 2 > "$said/wanted"
diff "$said/wanted" "$said/files" > "$said/out" 2> "$said/err"
ok "what is installed"
for c in $("$to/usr/bin/gotrace" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	[ -s "$to/usr/share/man/man1/gotrace-$c.1" ] || echo "no page of $c" >> "$said/err"
done
[ ! -s "$said/err" ]
ok "every command has its page"
run 0 "$to/usr/bin/gotrace" --version && [ "$(cat "$said/out")" = "gotrace $(cat "$top/VERSION")" ]
ok "the program runs, and has the version of the tree"
run 0 systemd-sysusers --dry-run "$to/etc/sysusers.d/gotrace.conf"
ok "systemd takes the group"
run 0 modprobe -C "$to/etc/modprobe.d" -c && ! grep -q gotrace "$said/out"
ok "modprobe takes its file"
tap_done

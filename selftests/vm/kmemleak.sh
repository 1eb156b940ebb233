# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Leaks as the kernel finds them, in a guest whose kernel looks for them; nothing in
# others. For scripts to source.

kmemleak=/sys/kernel/debug/kmemleak

kmemleak_clear() {
	if [ -w $kmemleak ]; then echo clear > $kmemleak; fi
}

# kmemleak_show: since the last clear; it looks at what is older than five seconds
# only, and believes itself the second time.
kmemleak_show() {
	[ -w $kmemleak ] || return 0
	sleep 6
	echo scan > $kmemleak
	echo scan > $kmemleak
	cat $kmemleak
}

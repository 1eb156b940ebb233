#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Bring redis into the cache, unpacked and not installed: no service appears
# on this machine. Prints the folder; bin/ and lib/ in it are all one needs.
set -eu -o pipefail

here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/../fetch/lib.sh
. "$here/../fetch/lib.sh"

SUITE=bookworm
# Everything redis links against but the C and C++ libraries, which must be the
# machine's own: the program loader goes with them.
LIBS='^(redis-tools|liblzf1|libjemalloc2|libatomic1|libssl3|libsystemd0|libcap2|libgcrypt20|libgpg-error0|liblzma5|libzstd1|liblz4-1)$'

make_redis() {
	local pkgs f
	suite_update $SUITE
	pkgs=$(pkg_closure $SUITE "$LIBS" redis-server)
	say "redis: $(xargs <<< "$pkgs")"
	mkdir debs root bin lib
	# shellcheck disable=SC2086
	( cd debs && pkg_download $SUITE $pkgs )
	for f in debs/*.deb; do
		dpkg-deb -x "$f" root
	done
	# redis-server is a link to a program that has other names, too.
	cp -L root/usr/bin/redis-server root/usr/bin/redis-benchmark \
		root/usr/bin/redis-cli bin/
	find root -name '*.so*' ! -type d -exec cp -n -d {} lib/ \;
	rm -rf debs root
}

make_dir demo/redis make_redis
echo "$GOTRACE_CACHE/demo/redis"

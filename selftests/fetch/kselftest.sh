# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The kernel's own test harness and checkpatch, out of Debian's package of the
# kernel's source. Sourced.
#
# $GOTRACE_CACHE/kselftest/	kselftest.h kselftest_harness.h lib.mk kselftest/
# $GOTRACE_CACHE/kselftest/scripts/	checkpatch.pl kernel-doc and what they read

fetch_kselftest() { make_dir kselftest make_kselftest; }

make_kselftest() {
	local suite=bookworm src=linux-source-6.1 t=tools/testing/selftests
	suite_update $suite
	say "kselftest: $src"
	pkg_download $suite $src
	dpkg-deb -x $src*.deb .
	# One pass: the archive is 135 MB of xz.
	xz -T0 -dc usr/src/$src.tar.xz | tar -x --strip-components=1 \
		--wildcards "$src/$t/kselftest.h" "$src/$t/kselftest_harness.h" \
		"$src/$t/lib.mk" "$src/$t/kselftest" \
		"$src/scripts/checkpatch.pl" "$src/scripts/spelling.txt" \
		"$src/scripts/const_structs.checkpatch" "$src/scripts/kernel-doc" \
		"$src/.clang-format"
	mv $t/* .
	rm -rf tools usr ./*.deb
}

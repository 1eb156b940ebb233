#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tests in kernels with checkers, KASAN and the rest, then KCSAN (fetch/debug.sh
# builds them at the first run). `make check-debug` comes here.
#
# First each checker is shown to be awake: a module that does one thing wrong
# (vm/module/faulty.c), in a guest of its own, which must fail for that.
set -u
here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$here")
# shellcheck source=SCRIPTDIR/tap.sh
. "$here/tap.sh"
# shellcheck source=SCRIPTDIR/figures.sh
. "$here/figures.sh"

usage() {
	cat <<-'USAGE'
	Usage: debug.sh [NAME...]
	Runs all tests, or those whose names contain NAME. Environment:
	  KVER=TAG     only this kernel: 6.1-kasan or 6.1-kcsan
	  AWAKE=only   only show that the checkers are awake; AWAKE=no: do not
	USAGE
}
case ${1:-} in
-h|--help) usage; exit 0;;
esac

# kernel, fault, what its console must say
faults() {
	cat <<-TABLE
	6.1-kasan use_after_free BUG: KASAN: (slab-)?use-after-free in use_after_free
	6.1-kasan out_of_bounds BUG: KASAN: vmalloc-out-of-bounds in out_of_bounds
	6.1-kasan lock_inversion possible circular locking dependency detected
	6.1-kasan sleep_in_atomic sleeping function called from invalid context
	6.1-kasan no_read_lock suspicious RCU usage
	6.1-kasan free_active ODEBUG: free active .* timer_list
	6.1-kasan shift_too_far UBSAN: shift-out-of-bounds
	6.1-kasan leak leak\+.*\[faulty\]
	6.1-kcsan data_race BUG: KCSAN: data-race in count
	6.1-kcsan lock_inversion possible circular locking dependency detected
	TABLE
}

# awake KVER FAULT SAYS: a guest that does it fails, and says why.
awake() {
	local kver=$1 fault=$2 says=$3 log=$top/build/check-debug/$1-$2 rc=0
	local ko=$top/build/guest-$kver/selftests/vm/module/faulty.ko
	# Leaks are looked for as around every test.
	"$here/vm/vm.sh" --kernel "$kver" --timeout 400 --log "$log.console" -- \
		bash -c ". $here/vm/kmemleak.sh
			kmemleak_clear
			insmod $ko fault=$fault
			[ $fault != leak ] || kmemleak_show
			rmmod faulty" > "$log.out" 2>&1 < /dev/null || rc=$?
	if [ $rc = 125 ] && grep -qE "$says" "$log.console" "$log.out"; then
		tap_ok "$kver: $fault is seen"
		echo "# figure: faults planted, each seen 1" | figures_keep "$kver" "$fault"
	else
		tap_not_ok "$kver: $fault is seen" "exit status $rc, without '$says': $(tail -n 20 "$log.out")"
	fi
}

mkdir -p "$top/build/check-debug"
rc=0
for kver in ${KVER:-6.1-kasan 6.1-kcsan}; do
	"$here/fetch/fetch.sh" kernel "$kver" > /dev/null || exit
	if [ "${AWAKE:-}" != no ]; then
		while read -r k fault says; do
			[ "$k" != "$kver" ] || awake "$k" "$fault" "$says"
		done < <(faults)
	fi
	if [ "${AWAKE:-}" != only ]; then
		KVER=$kver GUESTS=1 "$here/run.sh" "$@" || rc=1
		rm -rf "$top/build/check-$kver"
		cp -r "$top/build/check" "$top/build/check-$kver"
	fi
done
[ $tap_failed = 0 ] || rc=1
exit $rc

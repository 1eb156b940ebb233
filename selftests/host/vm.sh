#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The guest itself: status, output and files come back, and what must fail does,
# with the console shown.
# shellcheck disable=SC2016	# what is quoted is for the shell in the guest
set -u

top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
vm=$top/selftests/vm/vm.sh
n=0
echo 1..10

# expect NAME STATUS PATTERN ARGS...: vm.sh's status, and a line of its output.
expect() {
	local name=$1 want=$2 pattern=$3 out rc=0
	shift 3
	n=$((n + 1))
	out=$("$vm" "$@" 2>&1) || rc=$?
	if [ $rc = "$want" ] && grep -q -e "$pattern" <<< "$out"; then
		echo "ok $n $name"
	else
		echo "not ok $n $name"
		printf '# status %d, not %d with "%s"\n' $rc "$want" "$pattern"
		tail -n 30 <<< "$out" | sed 's/^/# /'
	fi
}

file_is() {
	n=$((n + 1))
	if [ "$(cat "$2" 2> /dev/null)" = "$3" ]; then
		echo "ok $n $1"
	else
		echo "not ok $n $1: $2 is not '$3'"
	fi
}

expect status_and_output 7 '^tsc root$' -t 60 -o out -- sh -c \
	'echo result > file; echo $(cat /sys/devices/system/clocksource/*/current_clocksource) $(id -un); exit 7'
file_is files_come_back out/file result
expect without_tsc 0 '^hpet$' -t 60 --no-tsc -- \
	sh -c 'sleep 2; cat /sys/devices/system/clocksource/*/current_clocksource'
expect panic_is_failure 125 'console| .*sysrq triggered crash' -t 60 -- \
	sh -c 'echo c > /proc/sysrq-trigger'
expect warning_is_failure 125 'console| .*WARNING: planted' -t 60 -- \
	sh -c 'echo "WARNING: planted" > /dev/kmsg'
expect hang_is_timeout 124 'console| .*Show Blocked State' -t 60 -- sleep 1000
expect silence_is_a_hang 124 "Sending NMI from CPU" -t 120 -q 40 -- sleep 1000
expect early_end_is_failure 125 'without a status' -t 60 -- \
	/run/vm/busybox poweroff -f
expect icount 3 '^1$' -t 60 --icount -o out2 -- \
	sh -c 'nproc; echo packed > /out/file; exit 3'
file_is icount_files_come_back out2/file packed

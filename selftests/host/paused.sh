#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A machine that is paused for seconds and goes on, as a virtual one may be at any
# time: the trace of then is one that both Go's accept, and nothing is lost.
# shellcheck disable=SC2016	# what is quoted is for the shell in the guest
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/../tap.sh
. "$here/../tap.sh"

# qemu OF: the process of its name below that one.
qemu() {
	local pid
	for pid in $(pgrep -P "$1"); do
		if [[ $(cat "/proc/$pid/comm" 2> /dev/null) = qemu-* ]]; then
			echo "$pid"
		else
			qemu "$pid"
		fi
	done
}

mkdir out
make -s -C "$here/../.." modules KVER=6.1 > build.log 2>&1
"$here/../vm/vm.sh" -t 100 -o "$PWD/out" -- sh -c '
	insmod $GOTRACE_KO
	gotrace record -o /out/paused.trace -- sh -c "
		storm -t 200 fork
		touch /out/tracing
		until [ -e /out/paused ]; do sleep 0.05; done
		storm -t 200 fork"' > guest.log 2>&1 < /dev/null &
guest=$!
for ((i = 0; i < 600; i++)); do
	[ ! -e out/tracing ] || break
	sleep 0.1
done
pid=$(qemu $guest)
for ((i = 0; i < 3; i++)); do
	tap_run "pause $i" kill -STOP "$pid"
	sleep 0.7
	kill -CONT "$pid"
	sleep 0.2
done
touch out/paused
rc=0
wait $guest || rc=$?
tap_is "the guest went on to its end" 0 $rc
tap_run "nothing was lost" grep '^0 kernel events lost' guest.log
for tag in 1.21 newest; do
	tap_run "Go $tag accepts it" "$("$here/../gocheck/build.sh" $tag)" out/paused.trace
done
tap_done

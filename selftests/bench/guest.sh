# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Run by bench.sh in the counting guest, where there is nothing but busybox.
# guest.sh TRACER...
set -e
[ $# = 0 ] || insmod "$GOTRACE_KO"

# The TSC is refined some two seconds after boot; gotrace's clock depends on it.
i=0
while ! grep -q tsc /sys/devices/system/clocksource/clocksource0/current_clocksource; do
	i=$((i + 1))
	[ $i -lt 30 ] || { echo "the clocksource is not tsc"; exit 1; }
	sleep 1
done
# What the kernel still has to do after boot; idle time passes at once here.
sleep 10
echo "kernel=$(uname -r)"

for workload in getppid ping-pong; do
	for tracer in untraced ftrace "$@"; do
		"$GOTRACE_TESTS/bench" $workload "$tracer"
	done
done

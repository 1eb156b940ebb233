#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Calls of the device that make no sense (prog_fuzzdev.c); it works after them, and
# unloads. FUZZ_SEED= repeats a run, FUZZ_CALLS= makes it longer.
# vm: tcg=single
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/command.sh
. "$here/command.sh"

run 0 fuzzdev ${FUZZ_SEED:+-s "$FUZZ_SEED"} -n "${FUZZ_CALLS:-20000}"
ok "calls at random"
sed 's/^/# /; s/^# calls /# figure: calls of the device at random /' "$said/out"

gotrace stop > "$said/stop" 2>&1
run 0 gotrace start --discard && run 0 gotrace stop && timeout 20 cat /dev/gotrace > next.trace
ok "what is traced after them stops, and a session is read"
run 0 gotrace record --no-symbols -o after.trace -- storm -t 300 fork thread &&
	run 0 gotrace dump after.trace
ok "a trace after them"
tap_done

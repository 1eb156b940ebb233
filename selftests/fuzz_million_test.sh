#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# fuzz_test.sh, a million calls long.
# vm: timeout=3000 tcg=single slow
exec env FUZZ_CALLS="${FUZZ_CALLS:-1000000}" "$(dirname "$(readlink -f "$0")")/fuzz_test.sh"

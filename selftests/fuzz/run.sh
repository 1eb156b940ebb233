#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# run.sh SECONDS [OPTION...]: fuzz for so long, from traces good and bad, with options of
# libFuzzer's. What is new goes to $CORPUS (a folder beside this run's own in the cache),
# from where the next run goes on. A fault is left here as crash-*, and exits with
# 1; build.sh's program with it as argument shows it again. So is what it says: run.log.
set -eu -o pipefail

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
# shellcheck source=SCRIPTDIR/../fetch/lib.sh
. "$here/../fetch/lib.sh"

seconds=${1:?usage: run.sh SECONDS [OPTION...]}
shift
seeds=$top/build/fuzz/seeds
corpus=${CORPUS:-$GOTRACE_CACHE/fuzz}
mkdir -p "$corpus"

fuzz=$("$here/build.sh")
"$here/seeds.sh" "$seeds"
"$fuzz" -max_total_time="$seconds" -max_len=8192 -timeout=20 -rss_limit_mb=2048 \
	-print_final_stats=1 "$@" "$corpus" "$seeds" 2>&1 | tee run.log

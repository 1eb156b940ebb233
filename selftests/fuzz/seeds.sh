#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# seeds.sh DIR: traces for the fuzzer to begin with.
set -eu -o pipefail

dir=${1:?usage: seeds.sh DIR}
here=$(dirname "$(readlink -f "$0")")
selftests=$(dirname "$here")
canned=$("$selftests/fetch/fetch.sh" go 1.21)/src/internal/trace/testdata

rm -rf "$dir"
mkdir -p "$dir"/{cases,go,rules,made,dump}
cp "$selftests"/cases/*/*.trace "$dir/cases"
find "$canned" -type f -size -16k -exec cp -t "$dir/go" {} +
python3 "$selftests/host/rules_traces.py" "$dir/rules" > /dev/null
python3 "$selftests/host/order_traces.py" "$dir/made" 1 40
python3 "$selftests/host/traces.py" "$dir/dump"
find "$dir" -type f \( -size +32k -o -name '*.want' -o -name '*.err' \) -delete

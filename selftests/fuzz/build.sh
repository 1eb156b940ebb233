#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the fuzzer of what reads traces, unless it is there, and prints its path.
set -eu

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
tools=$top/tools
out=$top/build/fuzz/fuzz
echo "$out"
if [ -e "$out" ] && [ -z "$(find "$tools" "$here" -name '*.[ch]' -newer "$out")" ]; then
	exit
fi
mkdir -p "$(dirname "$out")"
# mutate.c is a program of its own.
lib=$(printf '%s\n' "$tools"/lib/*.c | grep -v /mutate.c)
# shellcheck disable=SC2086	# a list
exec clang -O1 -g -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Wall -I"$tools" \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -o "$out" \
	"$here/fuzz.c" $lib "$tools"/{retrace,usednames,rules,writer,putrecord,newnames}.c

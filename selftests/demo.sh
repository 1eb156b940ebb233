#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# From nothing to a trace worth opening, in one command: redis-server under
# redis-benchmark, traced for a few seconds. Leaves trace.out at the top of the
# tree and prints what is in it.
#
#	HOST=1	load the module into this machine's kernel, instead of a guest's
#	KVER=	the guest's kernel (6.1)
set -eu -o pipefail

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$here")
kernel=${KVER:-6.1}
out=$top/build/demo
rm -rf "$out"
mkdir -p "$out"

step() { # WORDS COMMAND...
	printf 'demo: %s\n' "$1" >&2
	shift
	"$@" > "$out/log" 2>&1 || {
		tail -n 40 "$out/log" >&2
		printf 'demo: that failed: %s\n' "$*" >&2
		exit 1
	}
}

step "packages that building needs" "$here/fetch/deps.sh"
step "redis, unpacked into the cache" "$here/demo/fetch.sh"
redis=$(tail -n 1 "$out/log")
step "the tools" make -s -C "$top" tools
step "the summary" make -s -C "$here" "$top/build/selftests/trace_summary"

# Lost events, status 3, are told and no failure.
rc=0
if [ -n "${HOST:-}" ]; then
	step "the module, for this kernel" make -s -C "$top" modules
	printf 'demo: tracing this machine\n' >&2
	# Loaded for the demo only, it goes with it.
	[ -d /sys/module/gotrace ] || trap 'rmmod gotrace 2> /dev/null || true' EXIT
	GOTRACE_KO=$top/build/kmod-$(uname -r)/gotrace.ko PATH=$top/build/bin:$PATH \
		"$here/demo/run.sh" "$redis" "$out/trace.out" || rc=$?
else
	step "a kernel and the module for it" make -s -C "$top" modules KVER="$kernel"
	printf 'demo: tracing a guest with two CPUs, about half a minute\n' >&2
	"$here/vm/vm.sh" --kernel "$kernel" --timeout 240 --out "$out" \
		--log "$out/console.log" -- "$here/demo/run.sh" "$redis" /out/trace.out || rc=$?
fi
if [ $rc != 0 ] && [ $rc != 3 ]; then
	printf 'demo: tracing failed (%s)\n' $rc >&2
	exit 1
fi

cd "$top"
mv "$out/trace.out" trace.out
echo
build/selftests/trace_summary trace.out

# Go's own tools, if the tests have already brought them here.
cache=${GOTRACE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gotrace}
go=go
echo
for tag in 1.21 newest; do
	if [ ! -d "$cache/go/$tag" ]; then
		echo "Not checked with Go $tag, which the tests would bring into the cache."
		continue
	fi
	"$("$here/gocheck/build.sh" $tag)" trace.out
	go=$cache/go/$tag/bin/go
done
if [ "$go" = go ] && ! command -v go > /dev/null; then
	# shellcheck disable=SC2016 # for the user to run
	go='$(selftests/fetch/fetch.sh go newest)/bin/go'
fi
echo
echo "Open it with:  build/bin/gotrace view trace.out"
echo "or with Go's:  $go tool trace trace.out"
echo "or as text:    build/bin/gotrace dump trace.out | less"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# build.sh: build goprint with Go 1.21's own reader in it, print the program's
# path. Cold about 20 s, unchanged at once.
set -eu -o pipefail

here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/../fetch/lib.sh
. "$here/../fetch/lib.sh"

goroot=$("$here/../fetch/fetch.sh" go 1.21)
key=$(cat "$here"/*.go "$0" "$goroot/gotrace.version" | sha256sum | cut -c -12)

# The reader's package, with a main beside it: not all that is needed is
# exported, and nobody outside may import it.
make_goprint() {
	local d=$goroot/src/cmd/goprint f
	rm -rf "$d"
	mkdir "$d"
	for f in parser order goroutines; do
		sed 's/^package trace$/package main/' "$goroot/src/internal/trace/$f.go" > "$d/$f.go"
	done
	cp "$here"/*.go "$d/"
	say "building goprint with Go $(cat "$goroot/gotrace.version")"
	local out=$PWD/goprint
	cd "$d"
	env GOROOT="$goroot" GOCACHE="$GOTRACE_CACHE/go-build/1.21" GOFLAGS=-mod=vendor \
		GOPROXY=off GOTOOLCHAIN=local GOTELEMETRY=off CGO_ENABLED=0 \
		"$goroot/bin/go" build -o "$out" .
	rm -rf "$d"
}

with_lock goprint make_dir "goprint/$key" make_goprint
echo "$GOTRACE_CACHE/goprint/$key/goprint"

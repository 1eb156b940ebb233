#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# build.sh TAG: build gocheck inside Go TAG's tree in the cache (1.21, newest),
# print the program's path. Cold about 90 s, unchanged at once.
set -eu -o pipefail

here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/../fetch/lib.sh
. "$here/../fetch/lib.sh"

tag=${1:?usage: build.sh TAG}
goroot=$("$here/../fetch/fetch.sh" go "$tag")
case $tag in
1.21) serve=serve_1.21.go;;
*) serve=serve_newest.go;;
esac
src=("$here/gocheck.go" "$here/pages.go" "$here/$serve")
key=$(cat "${src[@]}" "$0" "$goroot/gotrace.version" | sha256sum | cut -c -12)

# edit FILE SED-COMMAND: fails when nothing changes, so that a Go whose source
# looks different is noticed here.
edit() {
	cp "$1" "$1.was"
	sed -i "$2" "$1"
	! cmp -s "$1" "$1.was" || die "$1: nothing to do for: $2"
	rm "$1.was"
}

make_gocheck() {
	local d=$goroot/src/cmd/gocheck
	rm -rf "$d"
	cp -r "$goroot/src/cmd/trace" "$d"
	rm -rf "$d"/*_test.go "$d/testdata"
	# Their main runs as it is up to serving the pages.
	edit "$d/main.go" 's/^func main() {/func goMain() {/'
	edit "$d/main.go" 's/\<browser\.Open(addr)/_ = browser.Open/'
	if [ "$tag" = 1.21 ]; then
		edit "$d/main.go" 's/http\.Serve(ln, nil)/gtServe()/'
	else
		edit "$d/main.go" 's/http\.Serve(ln, mux)/gtServe(mux, parsed)/'
		edit "$d/main.go" 's/^\tcounter\.Open()$//'
	fi
	cp "${src[@]}" "$d/"
	say "building gocheck with Go $(cat "$goroot/gotrace.version")"
	local out=$PWD/gocheck
	cd "$d"
	env GOROOT="$goroot" GOCACHE="$GOTRACE_CACHE/go-build/$tag" GOFLAGS=-mod=vendor \
		GOPROXY=off GOTOOLCHAIN=local GOTELEMETRY=off CGO_ENABLED=0 \
		"$goroot/bin/go" build -o "$out" .
	rm -rf "$d"
}

# One build at a time in a Go tree, whatever the key.
with_lock "gocheck-$tag" make_dir "gocheck/$tag-$key" make_gocheck
echo "$GOTRACE_CACHE/gocheck/$tag-$key/gocheck"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# build.sh TAG OUTPUT: gowork.go with Go TAG of the cache (1.21, newest).
set -eu -o pipefail

here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/../fetch/lib.sh
. "$here/../fetch/lib.sh"

tag=${1:?usage: build.sh TAG OUTPUT}
goroot=$("$here/../fetch/fetch.sh" go "$tag")
exec env GOROOT="$goroot" GOCACHE="$GOTRACE_CACHE/go-build/$tag" GOPROXY=off \
	GOTOOLCHAIN=local GOTELEMETRY=off CGO_ENABLED=0 GO111MODULE=off GOFLAGS= \
	"$goroot/bin/go" build -o "$2" "$here/gowork.go"

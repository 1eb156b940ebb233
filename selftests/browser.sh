#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `make check-browser`: the page of gotrace view in a headless Chromium, which clicks,
# zooms, searches and reads (browser/browser.mjs), with a trace of which all is known, with
# hostile names, and with ten million events. Screenshots are in build/browser. Then, what
# export -f chrome makes of the first two in the trace viewer that comes with Go, in the
# same Chromium (browser/traceviewer.py).
#
#	EVENTS=N	of the large trace (10000000)
#	TRACE=FILE	also look at this one
set -eu -o pipefail

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$here")
out=$top/build/browser
cache=${GOTRACE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gotrace}

"$here/fetch/deps.sh" browser
make -s -C "$top" tools selftests
modules=$cache/npm/browser-$(cat "$here"/browser/package*.json | sha256sum | cut -c1-16)
if [ ! -d "$modules" ]; then
	mkdir -p "$cache/npm"
	new=$(mktemp -d "$cache/npm/new-XXXXXX")
	trap 'rm -rf "$new"' EXIT
	cp "$here"/browser/package*.json "$new"
	(cd "$new" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
	mv -T "$new" "$modules" 2> /dev/null || [ -d "$modules" ]
fi

rm -rf "$out"
mkdir -p "$out"
python3 "$here/host/report_trace.py" "$out/known.trace"
python3 "$here/host/export_trace.py" "$out/odd.trace"
"$top/build/selftests/bigtrace" -e "${EVENTS:-10000000}" -p 8 -g 300 > "$out/big.trace"
cp "$here/browser/browser.mjs" "$out"
ln -sfn "$modules/node_modules" "$out/node_modules"
rc=0
CASES=$here/cases/good GOTRACE=$top/build/bin/gotrace OUT=$out TRACE=${TRACE:-} node "$out/browser.mjs" || rc=$?
rm -f "$out/big.trace" "$out/node_modules" "$out/browser.mjs"
go=$("$here/fetch/fetch.sh" go 1.21)
python3 "$here/browser/traceviewer.py" "$go/src/cmd/trace/static" "$top/build/bin/gotrace" \
	"$out"/{known,odd}.trace ${TRACE:+"$TRACE"} || rc=$?
exit $rc

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Bundle the page for gotrace view: build.sh OUT. npm fetches what package-lock.json
# says, by its hashes, once for each lock file, into the cache; nothing of it runs but
# esbuild. In OUT are then index.html, view.js, view.css and licenses.txt.
set -eu -o pipefail

here=$(dirname "$(readlink -f "$0")")
mkdir -p "$1"
out=$(readlink -f "$1")
cache=${GOTRACE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gotrace}
sum=$(cat "$here/package.json" "$here/package-lock.json" | sha256sum | cut -c1-16)
modules=$cache/npm/view-$sum

# Complete or not there: it gets its name when it is done.
if [ ! -d "$modules" ]; then
	mkdir -p "$cache/npm"
	new=$(mktemp -d "$cache/npm/new-XXXXXX")
	trap 'rm -rf "$new"' EXIT
	cp "$here/package.json" "$here/package-lock.json" "$new"
	(cd "$new" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 >&2)
	mv -T "$new" "$modules" 2> /dev/null || [ -d "$modules" ]
fi

NODE_PATH=$modules/node_modules "$modules/node_modules/.bin/esbuild" "$here/src/main.js" \
	--bundle --minify --target=es2022 --format=iife --legal-comments=none \
	--log-level=warning --outfile="$out/view.js"
cp "$here/index.html" "$out/index.html"

# Whose code is in it: of the bundled packages, all but the tools.
for d in "$modules"/node_modules/*/; do
	n=$(basename "$d")
	case $n in esbuild|@*) continue;; esac
	printf '%s %s\n\n' "$n" "$(sed -n 's/^ *"version": "\(.*\)".*/\1/p' "$d/package.json" | head -n 1)"
	cat "$d"/LICENSE*
	printf '\n----\n\n'
done > "$out/licenses.txt"

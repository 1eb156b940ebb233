#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Debian packages of this tree, in build/deb; `make deb` comes here. What they are
# is in control, and the version in ../VERSION; the changelog is made of both, and
# of the last commit's time. They are built in a copy: the tree stays as it is.
set -eu -o pipefail

cd "$(dirname "$(readlink -f "$0")")/.."
version=$(cat VERSION)
out=$PWD/build/deb
copy=$out/gotrace-$version

# All that git knows or would take, or, where there is no git, all that is not built.
files() {
	if git rev-parse --git-dir > /dev/null 2>&1; then
		git ls-files -z --cached --others --exclude-standard
	else
		find . -path ./build -prune -o -type f -print0
	fi
}

if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
	SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2> /dev/null || date +%s)
	export SOURCE_DATE_EPOCH
fi
rm -rf "$out"
mkdir -p "$copy"
files | tar -c --null -T - | tar -x -C "$copy"
# Packages are built without the network: what npm bundles comes along.
tools/view/web/build.sh "$copy/tools/view/web/dist" 2> "$out/log" || {
	cat "$out/log" >&2
	echo "make deb: gotrace view's page needs npm, and what it fetches once" >&2
	exit 1
}
cat > "$copy/debian/changelog" <<EOC
gotrace ($version) unstable; urgency=medium

  * Built from the sources; their history is git's.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
EOC
cd "$copy"
dpkg-buildpackage -us -uc -b > "$out/log" 2>&1 || {
	tail -n 40 "$out/log" >&2
	echo "make deb: no packages; all that was said is in ${out#"$OLDPWD"/}/log" >&2
	exit 1
}
cd "$out"
rm -rf "$copy"
ls "$PWD"/*.deb

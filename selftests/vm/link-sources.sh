#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# link-sources.sh DIR SOURCE...: make DIR a copy of the module's sources by
# symbolic links, so that kbuild leaves its objects in DIR and still sees every
# edit. Links whose file is gone go.
set -eu
dir=$1
shift
top=$(pwd)
mkdir -p "$dir"
find "$dir" -xtype l -delete
find "$@" -type f \( -name Kbuild -o -name VERSION -o -name '*.[chS]' \) ! -name '*.mod.c' |
while read -r f; do
	[ -L "$dir/$f" ] || {
		mkdir -p "$dir/$(dirname "$f")"
		ln -s "$top/$f" "$dir/$f"
	}
done

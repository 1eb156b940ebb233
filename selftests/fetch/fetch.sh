#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Bring things from Debian's packages into the cache, without installing them.
# Prints the folder of each thing on stdout, words on stderr.
set -eu -o pipefail

usage() {
	cat <<-USAGE
	Usage: fetch.sh [--refresh] THING...
	  kernel TAG    image, headers and a guest's modules; TAG one of:
	                $(kernel_table | cut -f1 | xargs), or, built from source
	                with the kernel's checkers,
	                $(debug_tags | xargs)
	  kselftest     the kernel's test harness, and checkpatch
	  go TAG        a GOROOT: 1.21, or newest
	  debian SUITE  a fresh system to install packages into, below root/

	  --kernels     print the TAGs of the kernels, fetch nothing
	  --refresh     make it anew, with the newest version of the packages

	The cache is \$GOTRACE_CACHE, else \$XDG_CACHE_HOME/gotrace, else
	~/.cache/gotrace. The mirror is the one in this machine's apt sources.
	USAGE
}

here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/lib.sh
. "$here/lib.sh"
# shellcheck source=SCRIPTDIR/kernel.sh
. "$here/kernel.sh"
# shellcheck source=SCRIPTDIR/debug.sh
. "$here/debug.sh"
# shellcheck source=SCRIPTDIR/kselftest.sh
. "$here/kselftest.sh"
# shellcheck source=SCRIPTDIR/go.sh
. "$here/go.sh"
# shellcheck source=SCRIPTDIR/debian.sh
. "$here/debian.sh"

[ $# -gt 0 ] || { usage >&2; exit 2; }
while [ $# -gt 0 ]; do
	case $1 in
	-h|--help) usage; exit 0;;
	--kernels) kernel_table | cut -f1; debug_tags; shift;;
	--refresh) export REFRESH=1; shift;;
	kselftest)
		fetch_kselftest
		echo "$GOTRACE_CACHE/kselftest"
		shift;;
	kernel|go|debian)
		[ $# -ge 2 ] || die "$1 needs a TAG, see --help"
		dir=$1/$2
		"fetch_$1" "$2"
		echo "$GOTRACE_CACHE/$dir"
		shift 2;;
	*) say "unknown thing '$1', see --help"; exit 2;;
	esac
done

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Running commands and looking at what they say, for scripts to source; on tap.sh.
#
#   run 1 gotrace dump /nonexistent && says "No such file"
#   ok "what was just checked"

# It cannot read there that test(1) gets its operator from a variable.
# shellcheck source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# The last command's output is in files out and err here.
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT

# ok NAME: a point; the status before it is the verdict.
ok() {
	local rc=$?
	if [ $rc = 0 ]; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "$(cd "$said" && head -c 2000 out err)"
	fi
}

# is GOT WANT WHAT
is() {
	[ "$1" = "$2" ] || { echo "$3: $1, not $2" >> "$said/err"; return 1; }
}

# run STATUS COMMAND...
run() {
	local want=$1 rc=0
	shift
	"$@" > "$said/out" 2> "$said/err" || rc=$?
	is "$rc" "$want" "exit code of $*"
}

# says TEXT: the last command did, on stderr; prints TEXT: on stdout.
says() { grep -qF -- "$1" "$said/err"; }
prints() { grep -qF -- "$1" "$said/out"; }

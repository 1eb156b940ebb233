# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Both Go's checkers, for scripts to source, on command.sh.

gocheck_dir=$(dirname "${BASH_SOURCE[0]}")
if ! gocheck_old=$("$gocheck_dir/build.sh" 1.21) || ! gocheck_new=$("$gocheck_dir/build.sh" newest); then
	echo "Bail out! cannot build gocheck"
	exit 1
fi

# both_accept [-skip PAGE] FILE...: side by side; what one refuses is shown.
both_accept() {
	local old new=0
	"$gocheck_old" "$@" > "${said:?}/go-old" 2>&1 &
	old=$!
	"$gocheck_new" "$@" > "$said/go-new" 2>&1 || new=1
	wait $old && [ $new = 0 ] && return
	grep -hv '^ok ' "$said/go-old" "$said/go-new" >> "$said/err"
	return 1
}

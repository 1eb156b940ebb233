# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the fetcher's scripts share: the cache, its lock, and apt used without
# touching the machine. Sourced, never run.
#
# Everything that was made lies whole or not at all: it is built in
# $GOTRACE_CACHE/tmp and renamed into place, under a lock per thing. A thing
# that is there is used as it is; `fetch.sh --refresh` makes it anew.

GOTRACE_CACHE=${GOTRACE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gotrace}
mkdir -p "$GOTRACE_CACHE/tmp"
GOTRACE_CACHE=$(cd "$GOTRACE_CACHE" && pwd -P)

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }

# with_lock NAME COMMAND...: one maker of NAME at a time, the others wait.
with_lock() {
	local name=${1//\//_}
	shift
	(
		exec 9> "$GOTRACE_CACHE/tmp/$name.lock"
		if ! flock -n 9; then
			say "waiting for another process that makes $name"
			flock 9
		fi
		# The lock must not outlive us in a child that stays behind.
		"$@" 9>&-
	)
}

# make_dir DIR MAKER ARGS...: run MAKER in an empty temp folder, and rename
# that to $GOTRACE_CACHE/DIR when it succeeds. No-op when DIR exists.
make_dir() { with_lock "$1" make_dir_locked "$@"; }

make_dir_locked() {
	local final=$GOTRACE_CACHE/$1 maker=$2 tmp old rc
	shift 2
	if [ -n "${REFRESH:-}" ] || ! [ -d "$final" ]; then
		tmp=$(mktemp -d "$GOTRACE_CACHE/tmp/make.XXXXXX") || return 1
		# The maker runs under `set -e` in a shell of its own, and
		# not as part of a condition, where that would not reach.
		set +e
		( set -e; cd "$tmp"; "$maker" "$final" "$@" )
		rc=$?
		set -e
		if [ $rc -ne 0 ]; then
			rm -rf "$tmp"
			say "could not make $final"
			return 1
		fi
		mkdir -p "${final%/*}"
		if [ -d "$final" ]; then
			old=$(mktemp -d "$GOTRACE_CACHE/tmp/old.XXXXXX")
			mv "$final" "$old/" || return 1
			rm -rf "$old"
		fi
		chmod 755 "$tmp"
		mv -T "$tmp" "$final"
	fi
}

# The mirror, as this machine's own sources name it: the line of its own
# release, with another suite in its place; and the suite's security updates
# where the machine's sources have them.
suite_lines() {
	local codename targets uri keys=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -e $keys ] && keys="[signed-by=$keys] " || keys=
	# shellcheck source=/dev/null
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	# shellcheck disable=SC2016
	targets=$(apt-get indextargets 'Created-By: Packages' \
		--format '$(RELEASE) $(COMPONENT) $(REPO_URI)')
	uri=$(awk -v r="$codename" '$1 == r && $2 == "main" && !n++ { print $3 }' <<< "$targets")
	[ -n "$uri" ] ||
		die "no source for '$codename main' among this machine's apt sources"
	echo "deb $keys$uri $1 main"
	awk -v k="$keys" -v r="$1-security" '$1 == r && $2 == "main" && !n++ {
		print "deb " k $3, r, "main" }' <<< "$targets"
}

# apt_opts SUITE: print the options, one a line, that point apt at SUITE's own
# lists in the cache. The machine's lists and its dpkg status stay out of it.
apt_opts() {
	local d=$GOTRACE_CACHE/apt/$1
	printf '%s\n' -q -q \
		-o "Dir::Etc::sourcelist=$d/sources.list" \
		-o Dir::Etc::sourceparts=- \
		-o "Dir::State::Lists=$d/lists" \
		-o "Dir::Cache=$d" \
		-o Dir::State::status=/dev/null \
		-o APT::Sandbox::User=root \
		-o APT::Get::List-Cleanup=false \
		-o Acquire::Retries=3 \
		-o Acquire::Languages=none
}

# apt_do SUITE TOOL ARGS...
apt_do() {
	local suite=$1 tool=$2 opts
	shift 2
	mapfile -t opts < <(apt_opts "$suite")
	"$tool" "${opts[@]}" "$@"
}

# Bring SUITE's package lists into the cache; a day-old list is good enough.
suite_update() { with_lock "apt-$1" suite_update_locked "$@"; }

suite_update_locked() {
	local suite=$1 d=$GOTRACE_CACHE/apt/$1 lines
	command -v apt-get > /dev/null || die "needs a Debian machine (no apt-get)"
	if [ -z "${2:-}" ] && [ -n "$(find "$d/stamp" -mmin -1440 2> /dev/null)" ]; then
		return 0
	fi
	lines=$(suite_lines "$suite") || return 1
	mkdir -p "$d/lists/partial" "$d/archives/partial"
	echo "$lines" > "$d/sources.list"
	say "reading the package lists of $suite"
	apt_do "$suite" apt-get update ||
		die "cannot read the lists of $suite (source line: $d/sources.list)"
	touch "$d/stamp"
}

# pkg_field SUITE PACKAGE FIELD: of the newest version.
pkg_field() {
	apt_do "$1" apt-cache show --no-all-versions "$2" 2> /dev/null |
		sed -n "s/^$3: //p" | head -n 1
}

# pkg_closure SUITE REGEX PACKAGE...: the packages named, and those they depend
# on (the first of alternatives) whose names match REGEX; this is how a meta package tells the version.
pkg_closure() {
	local suite=$1 regex=$2 todo=() seen=" " p q
	shift 2
	todo=("$@")
	while [ ${#todo[@]} -gt 0 ]; do
		p=${todo[0]}
		todo=("${todo[@]:1}")
		[[ $seen == *" $p "* ]] && continue
		seen+="$p "
		apt_do "$suite" apt-cache show --no-all-versions "$p" > /dev/null 2>&1 ||
			die "$suite has no package $p"
		echo "$p"
		for q in $(pkg_field "$suite" "$p" Depends | tr , '\n' |
				sed 's/[(|:].*//'); do
			if [[ $q =~ $regex ]]; then
				todo+=("$q")
			fi
		done
	done
}

# pkg_download SUITE PACKAGE...: into the current folder. A mirror may have
# moved on since the lists were read: once more with fresh lists.
pkg_download() {
	local suite=$1
	shift
	apt_do "$suite" apt-get download "$@" && return
	say "download failed, trying again with fresh lists"
	suite_update "$suite" now
	apt_do "$suite" apt-get download "$@"
}

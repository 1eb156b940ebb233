#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gotrace doctor says that recording would work exactly when it does.	vm: alone
#
# Locks the kernel down at the end, which only a boot takes back. What it says of
# systems that a guest cannot be is host/doctor.sh's.
set -u
# shellcheck source=SCRIPTDIR/command.sh
. "$(dirname "$(readlink -f "$0")")/command.sh"
ko=$GOTRACE_KO
unset GOTRACE_KO

# point NAME EXIT TEXT [COMMAND...]: the doctor's exit and a line of it, and the
# same exit of a recording; both run by COMMAND.
point() {
	local name=$1 want=$2 text=$3
	shift 3
	run "$want" "$@" gotrace doctor && prints "$text" &&
		run "$want" "$@" gotrace record -d 0.1 -o /dev/null
	ok "$name"
}
drain() { timeout 20 cat /dev/gotrace > /dev/null; }
# Somebody else, with no rights or those named.
nobody() { echo setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps="-all$1" --ambient-caps="-all$1"; }
load() { insmod "$ko"; }

point "root, loaded" 0 "ok       module     loaded"
is "$(cat /sys/module/gotrace/version)" "$(cat "$GOTRACE_SRC/VERSION")" "version"
ok "the module's version is the tree's"

gotrace start 2> /dev/null
point "a session is going on" 1 "missing  session    one is being traced"
gotrace stop 2> /dev/null
point "a session was not read" 1 "missing  session    the last one's trace"
drain

# shellcheck disable=SC2046	# words
{
	point "nobody" 1 "missing  rights     neither root nor CAP_PERFMON" $(nobody "")
	point "CAP_PERFMON, no permission" 1 "missing  rights     CAP_PERFMON, but no permission for /dev/gotrace" \
		$(nobody ,+perfmon)
	chgrp 65534 /dev/gotrace && chmod 660 /dev/gotrace
	point "CAP_PERFMON and the group" 0 "note     rights     all but CAP_SYSLOG" $(nobody ,+perfmon)
	point "the group alone" 1 "missing  rights     neither root nor CAP_PERFMON" $(nobody "")
	# As gotrace(4) lets users record.
	mkdir caps && cp "$GOTRACE_BIN/gotrace" caps/ && chgrp -R 65534 caps && chmod 750 caps/gotrace &&
		setcap cap_perfmon,cap_syslog=ep caps/gotrace
	point "the group, and a program with capabilities" 0 "ok       rights     all" \
		$(nobody "") env PATH="$PWD/caps:$PATH"
	point "another user namespace's root" 1 "missing  rights     in a user namespace" unshare -Ur
	rmmod gotrace
	point "CAP_PERFMON, not loaded" 1 "only root may do it" env GOTRACE_KO="$ko" $(nobody ,+perfmon)
}

point "not installed" 1 "missing  module     not installed"
point "GOTRACE_KO" 0 "ok       module     not loaded; record does it, from $ko" env GOTRACE_KO="$ko"
rmmod gotrace
dir=/lib/modules/$(uname -r)
mkdir -p "$dir/updates" && cp "$ko" "$dir/updates/"
point "installed, no depmod" 1 "missing  module     installed, but modprobe does not know it"
depmod
point "installed" 0 "ok       module     installed; record loads it"
rmmod gotrace

mount -t securityfs securityfs /sys/kernel/security 2> /dev/null
echo integrity > /sys/kernel/security/lockdown
point "integrity, no signature" 1 "missing  signature  this kernel loads signed modules only, and this one is not"
echo confidentiality > /sys/kernel/security/lockdown
point "confidentiality" 1 "missing  lockdown   confidentiality"

tap_done

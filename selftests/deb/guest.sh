#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest.sh ROOT: in a guest with the kernel that the fresh system at ROOT has the
# headers of, by deb.sh: the module that DKMS built there is loaded and used, by
# that system's own programs.
set -eu
root=$1
for fs in proc sys dev; do
	mount --rbind /$fs "$root/$fs"
done
mount -t tmpfs run "$root/run"
mount --bind /out "$root/mnt"
unset GOTRACE_KO
# shellcheck disable=SC2016	# for the inner shell
exec env -i SYSTEMD_IGNORE_CHROOT=1 PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
	chroot "$root" /bin/bash -c '
	/lib/systemd/systemd-udevd --daemon
	echo "before: $(gotrace doctor > /dev/null; echo $?)"
	modprobe gotrace
	udevadm settle -t 20
	echo "device: $(stat -c "%U %G %a" /dev/gotrace)"
	echo "module: $(cat /sys/module/gotrace/version)"
	echo "doctor: $(gotrace doctor | tail -n 1)"
	gotrace record -o /mnt/deb.trace -- ls /usr && echo "recorded: yes"
	rmmod gotrace && echo "unloaded: yes"'

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the fresh system, by deb.sh: install what an administrator would, say what
# came of it; or, with "purge", remove it.
set -eu
export DEBIAN_FRONTEND=noninteractive

# No daemons here.
printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
chmod 755 /usr/sbin/policy-rc.d
if [ "${1:-}" = purge ]; then
	apt-get purge -q -y 'gotrace*'
	exit
fi
apt-get -q update
apt-get install -q -y --no-install-recommends \
	linux-headers-amd64 dkms udev man-db /debs/*.deb

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# As kills.t and kills-partner.t, of runs that are saved inside parallel regions.  LONG=1: 200.
cd "$(dirname "$0")/../.." || exit 1
if [ "$(id -u)" -ne 0 ] || ! command -v tc >/dev/null ||
	! unshare --pid --fork --mount --mount-proc true 2>/dev/null; then
	echo "1..0 # SKIP needs root, for namespaces of its own, and ip and tc (package iproute2)"
	exit
fi
exec tests/run/faults/kills --regions --trials "$([ -n "${LONG-}" ] && echo 200 || echo 8)" --seed 1

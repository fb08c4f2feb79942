#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in which a connection between two nodes is cut: the first seeds of tests/run/faults/wire --cuts.
# Most wait for a while that somebody tells a better reason.  LONG=1: 100.
cd "$(dirname "$0")/../.." || exit 1
if [ "$(id -u)" -ne 0 ] || ! unshare --pid --fork --mount --mount-proc true 2>/dev/null; then
	echo "1..0 # SKIP needs root, for namespaces of its own"
	exit
fi
exec tests/run/faults/wire --cuts --trials "$([ -n "${LONG-}" ] && echo 100 || echo 8)"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs over a wire that delays, cuts up and stalls what goes between nodes: the first seeds of
# tests/run/faults/wire.  LONG=1: 200.
cd "$(dirname "$0")/../.." || exit 1
if [ "$(id -u)" -ne 0 ] || ! unshare --pid --fork --mount --mount-proc true 2>/dev/null; then
	echo "1..0 # SKIP needs root, for namespaces of its own"
	exit
fi
exec tests/run/faults/wire --trials "$([ -n "${LONG-}" ] && echo 200 || echo 12)"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs that random signals meet at random instants: the first of those that tests/run/faults/run makes.
# LONG=1: 200.
cd "$(dirname "$0")/../.." || exit 1
if [ "$(id -u)" -ne 0 ] || ! unshare --pid --fork --mount --mount-proc true 2>/dev/null; then
	echo "1..0 # SKIP needs root, for namespaces of its own"
	exit
fi
exec tests/run/faults/run --trials "$([ -n "${LONG-}" ] && echo 200 || echo 12)" --seed 1

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Starts that are harmed at any time: the first of those that tests/run/faults/starts makes.
# LONG=1: 200 monitors are killed, and 100 floods.
cd "$(dirname "$0")/../.." || exit 1
if [ "$(id -u)" -ne 0 ] || ! unshare --pid --fork --mount --mount-proc true 2>/dev/null; then
	echo "1..0 # SKIP needs root, for namespaces of its own"
	exit
fi
exec tests/run/faults/starts --trials "$([ -n "${LONG-}" ] && echo 300 || echo 3)" --seed 1

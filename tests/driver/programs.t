#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# CAPE programs on four nodes that capture by the driver, in a guest.  LONG=1: on each of its kernels,
# every program in every way.
. "$(dirname "$0")/guests.bash"
newest=(--newest)
[ -z "${LONG-}" ] || newest=()
in_guests "${newest[@]}" programs.sh

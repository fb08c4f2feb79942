#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# CAPE programs on four nodes that capture by the driver, on each of its kernels, in guests.
. "$(dirname "$0")/guests.bash"
in_guests programs.sh

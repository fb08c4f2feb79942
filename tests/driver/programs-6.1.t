#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# CAPE programs on four nodes that capture by the driver, on Linux 6.1, in a guest.
exec "$(dirname "$0")/test" 6.1 programs.sh

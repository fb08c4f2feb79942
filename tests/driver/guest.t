#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The driver on each kernel that it is made for, in guests.
. "$(dirname "$0")/guests.bash"
in_guests "$@"

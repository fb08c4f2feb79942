#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The driver on Linux 6.1, in a guest.
exec "$(dirname "$0")/test" 6.1

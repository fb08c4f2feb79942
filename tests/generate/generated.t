#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# generated.t - random OpenMP programs print under CAPE what they print without OpenMP.
#
# CAPE_TEST_GENERATED programs (16; LONG=1: 200), from seed 1; see run for more.
exec "$(dirname "$0")/run" --count "${CAPE_TEST_GENERATED:-$([ -n "${LONG-}" ] && echo 200 || echo 16)}"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 65-generated.t - random OpenMP programs print under CAPE what they print without OpenMP.
#
# CAPE_TEST_GENERATED programs (24), from seed 1; see generate/run for more.
exec "$(dirname "$0")/generate/run" --count "${CAPE_TEST_GENERATED:-24}"

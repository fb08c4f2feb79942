#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stress.t - the same as generated.t, with nodes that exchange by need as hard as they can.
#
# CAPE_TEST_GENERATED programs (16; LONG=1: 200), from seed 1001; see run for more.
exec "$(dirname "$0")/run" --count "${CAPE_TEST_GENERATED:-$([ -n "${LONG-}" ] && echo 200 || echo 16)}" --seed 1001 \
	--run-options "--exchange stress"

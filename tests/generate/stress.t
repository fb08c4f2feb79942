#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stress.t - the same as generated.t, with nodes that exchange by need as hard as they can.
#
# CAPE_TEST_GENERATED programs (24), from seed 1001; see run for more.
exec "$(dirname "$0")/run" --count "${CAPE_TEST_GENERATED:-24}" --seed 1001 \
	--run-options "--exchange stress"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# threads.t - the same as generated.t, by threads of one process.
#
# CAPE_TEST_GENERATED programs (16; LONG=1: 200), from seed 2001; see run for more.
exec "$(dirname "$0")/run" --count "${CAPE_TEST_GENERATED:-$([ -n "${LONG-}" ] && echo 200 || echo 16)}" --seed 2001 \
	--nodes "" --threads 2,3,7

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# unplanned.t - programs of tests/programs, built with --no-plan, print what they print under OpenMP.
#
# Usage: tests/programs/unplanned.t [name ...]; without names those with loops of each kind, LONG=1 all.
# See compare.bash for the environment.

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091,SC2154
. "$(dirname "$0")/../compare.bash"
export CAPE_TEST_BUILD=--no-plan CAPE_TEST_PAGES=1

# runs_of NAME
runs_of()
{
	echo "2 3/stress"
}

chosen=(barriers-large big-arrays constructs-nested heap-blocks heap-in-parallel jacobi life
	loop-collapse loop-int-forms loop-static-chunks lu matrix nbody need-columns need-files need-folds
	need-heap need-processes need-reductions need-untouched num-threads one-page planned
	planned-again planned-gaps planned-lists planned-pages planned-tails planned-values regions-in-loop simd-inside static-locals vla)
run_chosen "$@"

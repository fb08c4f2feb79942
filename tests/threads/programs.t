#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# programs.t - programs of tests/programs, started by themselves, print what they print under OpenMP.
#
# Usage: tests/threads/programs.t [name ...]; without names those that have a construct each, LONG=1
# all.  See compare.bash for the environment.  Each is run by two numbers of threads, by its name;
# LONG=1: by 1, 2, 3, 4 and 8.

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091,SC2154
. "$(dirname "$0")/../compare.bash"

choices_of_threads=("1/threads 4/threads" "2/threads 8/threads" "3/threads 8/threads")

# runs_of NAME
runs_of()
{
	local number

	number=$(cksum <<< "$1")
	number=${number%% *}
	if [[ -n ${LONG-} ]]; then
		echo "1/threads 2/threads 3/threads 4/threads 8/threads"
	else
		echo "${choices_of_threads[number % 3]}"
	fi
}

chosen=(atomic-capture atomic-mixed barriers-many c11-spin constructs-nested copyin single-waits
	declare-reduction exit-in-region flush-pipeline lock-turns locks-owner loop-asks loop-runtime
	loop-type-limits mixed-sync nowait omp-queries ordered orphaned parallel-sections posix-locks
	reduction-floats schedule-chunks simd-inside single task-clauses task-depend task-recursive
	task-reduction taskloop threadprivate threadprivate-kinds threadprivate-sync)
run_chosen "$@"

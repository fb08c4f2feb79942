#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# methods.t - four programs of the papers print what they print under OpenMP, by every method and
# model.
#
# Each pair on 3 nodes and, in turn, on 1, 2, 4 or 7, by the wire for tests, one in four on 3 nodes over
# Open MPI.  LONG=1: on all of them, over Open MPI.
# Pages are protected from user space, which works everywhere; tests/driver does it by the driver.
# See compare.bash for the environment.

: "${CAPE_TEST_JOBS:=3}"
# shellcheck source-path=SCRIPTDIR/.. disable=SC1091,SC2154
. "$(dirname "$0")/../compare.bash"

turns=(1 2:test 4:test 7:test 2:test) turn=0

# add SOURCE ARGUMENTS: one program, by every method and model.
add()
{
	local method model some

	for method in complete dickpt tickpt1 tickpt2; do
		for model in master-slave scatter spmd; do
			some="3$( ((turn % 4)) && echo :test) ${turns[turn % ${#turns[@]}]}"
			turn=$((turn + 1))
			[[ -z ${LONG-} ]] || some="1 2 3 4 7"
			add_program "$some" "$(basename "$1")-$method-$model" "$root/bench/$1.c" "$2" /dev/null 0 "" "" \
				"--method $method --model $model --protect mprotect"
		done
	done
}

add omp/matsum 60
add omp/mamult2d 40
add omp/vector2 "1000 700"
add examples/jacobi 8
run_programs

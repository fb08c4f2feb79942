#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bench-programs.t - the benchmark programs, small, print under CAPE what they print under OpenMP.
#
# Their exit status is that of their self-check.  On 3 nodes over Open MPI, on others by
# the wire for tests.  See compare.bash for the environment.
# LONG=1: on 4 and 16 nodes, too.

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091,SC2154
. "$(dirname "$0")/../compare.bash"

nodes="1 2:test 3 7:test${LONG:+ 4 16}"

# add NAME ARGUMENTS
add()
{
	add_program "$nodes" "$1-${2// /-}" "$root/bench/omp/$1.c" "$2" /dev/null 0 ""
}

add matsum "10"
add matsum "150 3"
add mamult2d "1"
add mamult2d "97"
add prime "1"
add prime "5000"
add pi "1000000"
add saved "1 13 2"
add vector1 "3000"
add vector2 "3000 1501"
add vector2 "1 40"
run_programs

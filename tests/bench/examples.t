#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# examples.t - the programs of bench/examples, small, print under CAPE what they print under OpenMP.
#
# Their exit status is that of their self-check.  On 3 nodes over Open MPI, on others by
# the wire for tests.  See compare.bash for the environment.

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091,SC2154
. "$(dirname "$0")/../compare.bash"

# add NAME ARGUMENTS
add()
{
	add_program "1 2:test 3 4:test" "$1-${2// /-}" "$root/bench/examples/$1.c" "$2" /dev/null 0 ""
}

add gauss 40
add fft 8
add jacobi 14
add kmeans 300
add smith-waterman 40
add salesman 7
add quicksort 3000
add search-tree 60
add sparse 12
run_programs

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# apps.t - the programs of bench/apps, small, print under CAPE what they print under OpenMP.
#
# Their exit status is that of their self-check.  On 3 nodes over Open MPI, on others by
# the wire for tests.  See compare.bash for the environment.

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091,SC2154
. "$(dirname "$0")/../compare.bash"

while read -r name sizes; do
	add_program "1 2:test 3 4:test 7:test" "$name" "$root/bench/apps/$name.c" "$sizes" /dev/null 0 ""
done < <(grep -v '^#' "$root/tests/bench/small-apps")
run_programs

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# files.t - files in regions, and what is printed there, where nothing else makes nodes wait for
# each other: without --verify.

CAPE_TEST_OPTIONS=
# shellcheck source-path=SCRIPTDIR/.. disable=SC1091,SC2154
. "$(dirname "$0")/../compare.bash"

for name in files-late-master files-positioned files-read-inside files-turns; do
	add_program "2 3 5 8" "$name" "$root/tests/programs/$name.c" "" /dev/null 0 ""
done
run_programs

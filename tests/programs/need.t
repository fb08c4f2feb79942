#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# need.t - programs that hand memory of which each node has a part to the system, where nodes
# exchange by need: as they do, and as hard as it can be.

: "${CAPE_TEST_NP:=2 3 5}"
# shellcheck source-path=SCRIPTDIR/.. disable=SC1091,SC2154
. "$(dirname "$0")/../compare.bash"

for source in "$root"/tests/programs/need-*.c; do
	name=$(basename "$source" .c)
	status=0
	[[ -e ${source%.c}.status ]] && status=$(<"${source%.c}.status")
	for exchange in need stress; do
		add_program "$name-$exchange" "$source" "" /dev/null "$status" "" "" \
			"--exchange $exchange"
	done
done
# What a function folds through pointers is no change of one node's where all is sent, either.
add_program need-folds-eager "$root/tests/programs/need-folds.c" "" /dev/null 0 "" "" \
	"--exchange eager"
run_programs

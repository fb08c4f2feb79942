#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# other-methods.t - programs of tests/programs under the other checkpointers and models: they print
# what they print under OpenMP.
#
# A sample on 3 nodes, by the wire for tests: each of the chosen programs by one method and model after
# the other.
# See compare.bash for the environment.

: "${CAPE_TEST_JOBS:=3}"
# shellcheck source-path=SCRIPTDIR/.. disable=SC1091,SC2154
. "$(dirname "$0")/../compare.bash"

# add METHOD MODEL NAME...
add()
{
	local method=$1 model=$2 name stem input
	shift 2
	for name in "$@"; do
		stem=$root/tests/programs/$name input=/dev/null
		[[ -e $stem.in ]] && input=$stem.in
		add_program 3:test "$name-$method-$model" "$stem.c" "" "$input" 0 "" "" \
			"--method $method --model $model --protect mprotect"
	done
}

add dickpt spmd array-parameters callers-arrays copyprivate declare-reduction files-stdio \
	heap-churn lastprivate loop-dynamic nested stdin-in-region stdin-read structs subword-packed \
	task-recursive truth-processes vla
add tickpt1 spmd big-arrays control-flow fft heap-library loop-static-chunks nowait \
	reduction-arrays regions-in-loop sections stdin-scanf threadprivate
add complete spmd copyin heap-list long-double reduction-floats single stdin-read subword-bytes
add dickpt master-slave declare-reduction heap-in-parallel lu nbody one-page orphaned qsort sections \
	single
add tickpt2 master-slave declare-reduction copyprivate heap-churn if-clause loop-collapse matrix \
	stdin-in-region
add tickpt2 scatter declare-reduction lastprivate loop-dynamic loop-pointer prefix-sums recursion
run_programs

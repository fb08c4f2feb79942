#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# exec.t - a program that exec() starts in the place of one that was in regions goes on with the run.
. "$(dirname "$0")/../tap.sh"

source=$root/tests/run/exec/again.c
gcc -fopenmp "$source" -o "$work/threads" && cape-cc -O1 "$source" -o "$work/nodes" || exit 1

for nodes in 2 3; do
	expected=$(OMP_NUM_THREADS=$nodes "$work/threads")
	for exchange in need eager stress; do
		run cape-run --exchange "$exchange" -np "$nodes" "$work/nodes" </dev/null
		check "it prints on $nodes nodes, --exchange $exchange, what it prints on as many threads" \
			is "$status $(<"$work/stdout")" "0 $expected"
	done
done
plan_done

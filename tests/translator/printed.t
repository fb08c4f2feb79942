#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What translated programs print: what gcc -fopenmp's print.
. "$(dirname "$0")/cape_cc.bash"

plan 15

cape-cc -w -O2 "$inputs/loops.c" -o loops
for nodes in 1 3 4; do
	run cape-run --verify -np $nodes ./loops
	stdout_has '^0 failures, 3 calls' "every loop form on $nodes nodes"
done
for name in clauses constructs sync tasks; do
	# clauses.c has long double on the stack, whose unused bytes nobody keeps equal
	verify=--verify
	[ $name != clauses ] || verify=
	gcc -w -O2 -fopenmp "$inputs/$name.c" -o expected -lm
	cape-cc -w -O2 "$inputs/$name.c" -o "$name"
	for nodes in 1 2 4; do
		OMP_NUM_THREADS=$nodes ./expected >want
		run cape-run $verify -np "$nodes" "./$name"
		check "$name.c prints on $nodes nodes what gcc -fopenmp prints" diff want stdout
	done
done

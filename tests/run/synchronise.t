#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Synchronisation that is not OpenMP's: in files without directives, and what is refused, by cape-cc
# where it stands in a region, by the run where a region only calls it; threads and children that
# the program makes itself.  (More of what works is in tests/programs: c11-*, posix-*, threads-*.)

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091
. "$(dirname "$0")/../tap.sh"

folder=$root/tests/run/synchronise
plan 26

cape-cc -O2 -o "$work/calls" "$folder/calls.c" "$folder/bump.c" || exit 1
for nodes in 1 3; do
	run "${cape_run[@]}" -np "$nodes" --verify "$work/calls"
	stdout_is 5250 "np $nodes: atomics of a file without directives"
done

# refused PROGRAM LINE:COLUMN WORDS
refused() {
	run cape-cc -o "$work/refused" "$folder/$1.c"
	check "cape-cc refuses $1.c" is "$status" 1
	stderr_has "$1.c:$2: error: .*$3" "it says where $1.c has it"
}

refused locked 10:3 "atomic instruction"
refused semaphore 12:3 sem_wait
refused sized 8:2 __atomic_fetch_add_4

# ends PROGRAM NODES LINE WORDS
ends() {
	cape-cc -g -o "$work/ends" "$folder/$1.c" || exit 1
	run "${cape_run[@]}" -np "$2" "$work/ends"
	check "$1.c ends with an error" is "$((status != 0 && status != 124))" 1
	stderr_has "$1.c:$3.*$4|$4.*$1.c:$3" "it prints the source line"
}

ends locked_call 2 10 "atomic instruction"
stdout_is 1 "sequential code before it ran"
run "${cape_run[@]}" -np 1 "$work/ends"
stdout_is "1
101" "a node alone runs it"
ends barrier_call 2 9 pthread_barrier_wait
ends mutex_twice 2 12 "variable 'door'"
ends mutex_foreign 2 16 "node 0: pthread_mutex_unlock.*does not hold"
for nodes in 1 2; do
	ends thread_region "$nodes" 12 "thread that the program made itself"
done

ends thread_lock 2 11 "omp_set_lock.. in a thread that the program made itself"

cape-cc -O2 -o "$work/fork" "$folder/fork.c" || exit 1
for nodes in 1 3; do
	run "${cape_run[@]}" -np "$nodes" --verify "$work/fork"
	stdout_is "child 0: 5050
child 1: 5151
child 2: 5253
5050 5151 5253, 265 210 210, 21" "np $nodes: children of fork() run on their own"
done

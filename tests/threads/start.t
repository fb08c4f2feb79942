#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A program that is started by itself, or by cape-run without -np, has threads.
. "$(dirname "$0")/../tap.sh"
plan 32

cat >"$work/team.c" <<'END'
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t size = 1 << 20;
	char *large = malloc(size);
	int members = 0;

	large[size - 1] = 1;
#pragma omp parallel reduction(+ : members)
	members++;
	free(large);
	large = realloc(malloc(10), size);
	free(large);
	printf("%d of %d\n", members, omp_get_max_threads());
	return argc > 1 ? atoi(argv[1]) : 0;
}
END
run cape-cc -O2 "$work/team.c" -o "$work/team"
is_status 0 "it is built"
processors=$(nproc)

run env -u OMP_NUM_THREADS "$work/team"
stdout_is "$processors of $processors" "as many as there are processors"
run env -u OMP_NUM_THREADS taskset -c "$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')" "$work/team"
stdout_is "1 of 1" "as many as it may use"
run env OMP_NUM_THREADS=3 "$work/team"
stdout_is "3 of 3" "or as OMP_NUM_THREADS says"
run env OMP_NUM_THREADS=3 OMP_THREAD_LIMIT=2 "$work/team"
stdout_is "2 of 2" "up to OMP_THREAD_LIMIT"
run env OMP_NUM_THREADS=3 OMP_STACKSIZE=1G prlimit --as=400000000 "$work/team"
stderr_has "^cape: .*team\.c:12: cannot start thread 2 of 3 for this region: .*ulimit -v" \
	"a team that there is no memory for: where, and what helps"
run env OMP_DISPLAY_ENV=true OMP_STACKSIZE=2M OMP_WAIT_POLICY=active "$work/team"
stderr_has "^  OMP_STACKSIZE = '2097152'$" "OMP_DISPLAY_ENV shows stacks"
stderr_has "^  OMP_WAIT_POLICY = 'ACTIVE'$" "... and how threads wait"
run env OMP_DISPLAY_ENV=true OMP_SCHEDULE=' monotonic : static , 7 ' "$work/team"
stderr_has "^  OMP_SCHEDULE = 'MONOTONIC:STATIC,7'$" "blanks may stand in OMP_SCHEDULE"
run env OMP_DISPLAY_ENV=true GOMP_STACKSIZE=3M "$work/team"
stderr_has "^  OMP_STACKSIZE = '3145728'$" "... also as gcc names them"
run bash -c "ulimit -s 4096; OMP_DISPLAY_ENV=true $work/team"
stderr_has "^  OMP_STACKSIZE = '4194304'$" "where nothing is said, what they get"
stderr_has "^  OMP_WAIT_POLICY = 'PASSIVE'$" "... and what they do"
run bash -c "ulimit -s unlimited 2>/dev/null; OMP_DISPLAY_ENV=true $work/team"
stderr_has "^  OMP_STACKSIZE = '[1-9][0-9]*'$" "... without a limit, too"
# Memory of the C library lies elsewhere then.
run bash -c "ulimit -s unlimited 2>/dev/null; OMP_NUM_THREADS=2 $work/team"
stdout_is "2 of 2" "with a stack without a limit"

run env OMP_NUM_THREADS=3 OMP_NESTED=true "$work/team"
stderr_has "^cape: OMP_NESTED is ignored: a region inside another has one thread$" "OMP_NESTED is told"
run env OMP_NUM_THREADS=3 GOMP_CPU_AFFINITY=0-3 "$work/team"
stderr_has "^cape: GOMP_CPU_AFFINITY is ignored: OMP_PLACES=" "so is what is gcc's alone"
if command -v ld.lld >/dev/null; then
	run cape-cc -O2 -fuse-ld=lld "$work/team.c" -o "$work/team.lld"
	is_status 0 "lld links a program"
	run env OMP_NUM_THREADS=3 "$work/team.lld"
	stdout_is "3 of 3" "... which runs"
else
	skip 2 "lld is missing"
fi

run env OMP_NUM_THREADS=3 cape-run "$work/team"
stdout_is "3 of 3" "cape-run without -np: the same"
check "and it says nothing" test ! -s "$work/stderr"
run env OMP_NUM_THREADS=3 cape-run --threads 2 "$work/team"
stdout_is "2 of 2" "--threads comes before the environment"
run cape-run --threads 2 "$work/team" 7
is_status 7 "the exit status is the program's"
run cape-run --threads 2 --verbose "$work/team"
stderr_has "^cape-run: node 0: .* processors? .* of " "--verbose says where it runs"
run cape-run --threads=2 "$work/team"
stdout_is "2 of 2" "--threads=2 is --threads 2"
run cape-run -np 1 "$work/team"
stdout_is "1 of 1" "-np 1 is one node of one thread"
run cape-run --threads 1 --races "$work/team"
stdout_is "1 of 1" "--threads 1 goes with what knows nodes of one thread"
run env OMP_NUM_THREADS=3 cape-run --races "$work/team"
stdout_is "1 of 1" "--races: one thread"
stderr_has "^cape-run: one node of one thread, because --races does not allow more threads" "a line says so"
run cape-run --threads 2 "$root/tests/threads/start.t"
is_status 126 "what cape-cc has not built is not started"

run cape-cc -O2 "$root/tests/threads/tasks.c" -o "$work/tasks"
run env OMP_NUM_THREADS=2 "$work/tasks"
stdout_is "3 1" "a fork() in a task, and a long chain of tasks"
run cape-cc -O2 "$root/tests/threads/task-reductions.c" -o "$work/reductions"
run "$work/reductions"
stdout_is "$(printf '%s\n' 'taskgroup 42106 4' 'function 3 2' 'nested 30 2' 'taskloop 3 2' 'taskloop in_reduction 3 2' \
	'parallel 626 8' 'worksharing 3306 6')" "tasks with parts of reductions run at the same time"
run cape-run -np 2 "$work/tasks"
check "the child of a fork() in a task goes on alone by nodes, too" grep -q '^3 ' "$work/stdout"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Threads are bound to places as gcc's are: OMP_PLACES, OMP_PROC_BIND and what says where threads are.
. "$(dirname "$0")/../tap.sh"

cat >"$work/where.c" <<'END_OF_C'
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* The caller's own mask, and what OpenMP says of it. */
static void show(int number)
{
	int places = omp_get_partition_num_places(), *ids = calloc(places + 1, sizeof(int));
	int place = omp_get_place_num(), count = place < 0 ? 0 : omp_get_place_num_procs(place);
	int *processors = calloc(count + 1, sizeof(int));
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	printf("thread %d place %d of", number, place);
	omp_get_partition_place_nums(ids);
	for (int i = 0; i < places; i++)
		printf(" %d", ids[i]);
	if (count)
		omp_get_place_proc_ids(place, processors);
	printf(" processors");
	for (int i = 0; i < count; i++)
		printf(" %d", processors[i]);
	printf(" mask");
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			printf(" %d", i);
	printf(" bind %d\n", (int)omp_get_proc_bind());
	free(ids);
	free(processors);
}

static void in_turn(int size)
{
	for (int i = 0; i < size; i++) {
		if (omp_get_thread_num() == i)
			show(i);
#pragma omp barrier
	}
}

static void team(int size)
{
	printf("team %d\n", size);
#pragma omp parallel num_threads(size)
	in_turn(size);
}

static void teams_by_clause(void)
{
	printf("close\n");
#pragma omp parallel num_threads(2) proc_bind(close)
	in_turn(2);
	printf("primary\n");
#pragma omp parallel num_threads(2) proc_bind(master)
	in_turn(2);
	printf("spread\n");
#pragma omp parallel for num_threads(2) proc_bind( spread ) schedule(static, 1) ordered
	for (int i = 0; i < 2; i++) {
#pragma omp ordered
		show(i);
	}
}

int main(int argc, char **argv)
{
	printf("places %d processors %d threads %d\n", omp_get_num_places(), omp_get_num_procs(),
	       omp_get_max_threads());
	show(-1);
	for (int i = 1; i < argc; i++)
		team(atoi(argv[i]));
	if (argc == 1)
		teams_by_clause();
	show(-1);
	return 0;
}
END_OF_C
run gcc -O2 -fopenmp "$work/where.c" -o "$work/where.gcc"
run cape-cc -O2 "$work/where.c" -o "$work/where"
is_status 0 "it is built"

# Of what gcc says of the variables: the numbers of threads are others, and so are its own messages.
said() {
	grep -E "^  OMP_(PROC_BIND|PLACES|DISPLAY_AFFINITY) |^[0-9]+/[0-9]+: " "$1" | sort
}

# as_gcc NAME VARIABLE=VALUE...: one test: the same output, and the same that is said of threads.  Of
# one size of teams at a time: gcc's leaves threads that it has where they are.
as_gcc() {
	local name=$1 size
	shift
	set -- env OMP_DISPLAY_ENV=true OMP_DISPLAY_AFFINITY=true "OMP_AFFINITY_FORMAT=%n/%N: %A" "$@"
	: >"$work/expected"
	: >"$work/got"
	for size in '' '2 2' '3 3' '4 4' '5 5'; do
		# shellcheck disable=SC2086 # sizes
		"$@" "$work/where.gcc" $size >>"$work/expected" 2>"$work/said"
		said "$work/said" >>"$work/expected"
		# shellcheck disable=SC2086
		run "$@" "$work/where" $size
		cat "$work/stdout" >>"$work/got"
		said "$work/stderr" >>"$work/got"
	done
	check "as gcc's: $name" diff "$work/expected" "$work/got"
}

# The processors of this test.
mapfile -t own < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n' | awk -F- '{ for (i = $1; i <= $NF; i++) print i }')
a=${own[0]} b=${own[1]-${own[0]}}
away=$((${own[-1]} + 1)) # there is none, or not for this test

as_gcc "nothing asked for" true=1
for bind in false true primary close spread spread,close close,primary; do
	as_gcc "OMP_PROC_BIND=$bind" OMP_PROC_BIND=$bind
done
for places in threads cores sockets numa_domains 'threads(1)' 'Cores( 9 )' "{$a}" "{$a,$b}" "{$b},{$a}" \
	"{$a}:2:$((b - a ? b - a : 1))" "{$b}:2:-$((b - a ? b - a : 1))" "{$a:2:1,!$b},{$b}" \
	"{$a,$b},{$a},!{$a}" "{$a,$away}" "{$a},{$away},{$b}"; do
	as_gcc "OMP_PLACES=$places" OMP_PLACES="$places"
done
as_gcc "one place, and not bound" OMP_PLACES="{$a}" OMP_PROC_BIND=false
as_gcc "one place, spread" OMP_PLACES="{$a}" OMP_PROC_BIND=spread
as_gcc "the same place twice, spread" OMP_PLACES="{$a},{$a},{$a},{$b},{$b}" OMP_PROC_BIND=spread

# Threads that there are go to other places when teams are of other sizes.
run env OMP_PLACES="{$a},{$b}" OMP_PROC_BIND=close "$work/where" 2 4 2 1 3
awk '/^thread/ { print $2, $4 }' "$work/stdout" >"$work/seats"
check "teams of several sizes" diff - "$work/seats" <<END_OF_SEATS
-1 0
0 0
1 1
0 0
1 0
2 1
3 1
0 0
1 1
0 0
0 0
1 1
2 0
-1 0
END_OF_SEATS
check "each thread's mask is that of its place" awk '
	/^thread/ && $0 ~ / processors/ {
		processors = mask = $0
		sub(/.* processors/, "", processors); sub(/ mask.*/, "", processors)
		sub(/.* mask/, "", mask); sub(/ bind.*/, "", mask)
		if (processors != mask)
			exit 1
	}' "$work/stdout"

# complains PLACES WHAT: it is not taken, as gcc does not, and a line says why.
complains() {
	as_gcc "OMP_PLACES=$1" OMP_PLACES="$1"
	stderr_has "^cape: OMP_PLACES='.*$2" "and a line says: $2"
}
complains "{$away}" "names no processor that this process may use"
complains "{$a,$away}" "processor $away is left out"
complains "{$a,$away:3},{$b}" "processor $away-$((away + 2)) is left out"
complains 'chairs' "is ignored: it must be threads"
complains '{0' "is ignored: it must be"
complains "{$a},!{$away,$a,$b},{$a" "is ignored: it must be"
complains 'cores(0)' "is ignored: it must be"
complains '{0}:0' "is ignored: it must be"
complains '{99999999999999999999}' "is ignored: it must be"
run env OMP_PLACES="cores(999)" "$work/where"
stderr_has "^cape: OMP_PLACES='cores\(999\)': only [0-9]+ are available" "fewer than asked for"
run env OMP_PROC_BIND=true,close "$work/where"
stderr_has "^cape: OMP_PROC_BIND='true,close' is ignored: it must be" "true stands alone"
run env OMP_PLACES=ll_caches OMP_DISPLAY_ENV=true "$work/where"
stderr_has "OMP_PLACES = '\{" "caches"

# One whose threads are not bound loads nothing.
run env -u OMP_PLACES -u OMP_PROC_BIND LD_DEBUG=files "$work/where"
check "hwloc is not loaded where it is not asked" test "$(grep -c hwloc "$work/stderr")" = 0
run env OMP_PLACES=cores LD_DEBUG=files "$work/where"
check "but where it is" grep -q hwloc "$work/stderr"

# More threads than a team has.
cat >"$work/many.c" <<'END_OF_C'
#include <omp.h>
#include <stdio.h>

int main(void)
{
	printf("%d\n", omp_get_max_threads());
	printf("%d\n", omp_get_max_threads());
	return 0;
}
END_OF_C
run cape-cc "$work/many.c" -o "$work/many"
run env OMP_NUM_THREADS=70000 "$work/many"
stdout_is "65535
65535" "a team has 65,535 threads at most"
stderr_has "^cape: 70000 threads are asked for, but a team has at most 65535" "a line says so"
check "once" test "$(wc -l <"$work/stderr")" = 1
plan_done

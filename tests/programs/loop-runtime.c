/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop-runtime.c - schedule(runtime) as OMP_SCHEDULE says, and as omp_set_schedule() does. */
#include <omp.h>
#include <stdio.h>

#define N 100

static int by[N], runs[N];

static void loop(const char *name)
{
	omp_sched_t kind;
	int chunk, broken = 0, wrong = 0;

	for (int i = 0; i < N; i++)
		runs[i] = 0;
#pragma omp parallel for schedule(runtime)
	for (int i = 0; i < N; i++) {
		by[i] = omp_get_thread_num();
		runs[i]++;
	}
	omp_get_schedule(&kind, &chunk);
	kind &= 7;
	/* A chunk belongs to one thread; those of guided are of many sizes. */
	for (int i = 0; i < N; i++) {
		broken += kind != omp_sched_guided && chunk > 0 && i % chunk && by[i] != by[i - 1];
		wrong += runs[i] != 1;
	}
	printf("%s: kind %d, chunk %d; %d broken, %d wrong\n", name, (int)kind, chunk, broken,
	       wrong);
}

int main(void)
{
	int threads = omp_get_max_threads(), wrong = 0;

	/* loop-runtime.env: OMP_SCHEDULE=dynamic,5 */
	loop("as found");
	omp_set_schedule(omp_sched_guided, 4);
	loop("guided");
	omp_set_schedule(omp_sched_static, 3);
	loop("static");
	for (int i = 0; i < N; i++)
		wrong += by[i] != i / 3 % threads;
	printf("%d wrong\n", wrong);
	omp_set_schedule(omp_sched_dynamic, 1);
	loop("dynamic");
	omp_set_schedule(omp_sched_auto, 0);
#pragma omp parallel for schedule(runtime)
	for (int i = 0; i < N; i++)
		runs[i]++;
#pragma omp parallel for schedule(auto)
	for (int i = 0; i < N; i++)
		runs[i]++;
	for (int i = 0; i < N; i++)
		wrong += runs[i] != 3;
	printf("%d wrong\n", wrong);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mixed-waits.c - threads of one half wait for locks that the other half holds, across a barrier,
 * until others have taken one more lock many times; then all wait for turns in an ordered loop.
 */
#include <omp.h>
#include <stdio.h>

#define ROUNDS 100
#define MOST   64

static omp_lock_t lock[MOST], other;
static int value[MOST], taken, order[4 * MOST], turns;

/* By the first thread of each half. */
static void take_the_other(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		omp_set_lock(&other);
		taken++;
		omp_unset_lock(&other);
	}
}

static int all_taken(int rounds)
{
	int so_far;

#pragma omp atomic read seq_cst
	so_far = taken;
	return so_far >= rounds;
}

int main(void)
{
	int threads = omp_get_max_threads(), half, wrong = 0, sum = 0;

	if (threads > MOST)
		threads = MOST;
	half = threads / 2;
	for (int i = 0; i < MOST; i++)
		omp_init_lock(&lock[i]);
	omp_init_lock(&other);
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
	{
		int thread = omp_get_thread_num();

		if (thread > half)
			omp_set_lock(&lock[thread - half]);
#pragma omp barrier
		if (thread == 0 || thread == half) {
			take_the_other(ROUNDS);
		} else if (thread < half) {
			omp_set_lock(&lock[thread]);
			wrong += value[thread] != thread + half;
			omp_unset_lock(&lock[thread]);
		} else {
			while (!all_taken(half ? 2 * ROUNDS : ROUNDS))
				;
			value[thread - half] = thread;
			omp_unset_lock(&lock[thread - half]);
		}
#pragma omp barrier
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < 4 * threads; i++) {
			take_the_other(2);
#pragma omp ordered
			order[turns++] = i;
		}
	}
	for (int i = 0; i < 4 * threads; i++)
		wrong += order[i] != i;
	for (int i = 1; i < half; i++)
		sum += value[i] != i + half;
	printf("%d %d %d\n", wrong, sum, taken - 8 * threads - (half ? 2 * ROUNDS : ROUNDS));
	return 0;
}

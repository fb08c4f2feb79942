/* SPDX-License-Identifier: GPL-2.0-or-later */
/* none.c - the same variables, ordered in every way there is: no race. */
#include <omp.h>
#include <stdio.h>

static int flag, total, sum, turns[100], stolen;
static char bytes[64];
static omp_lock_t lock;

struct most {
	int value;
};

static void join(struct most *into, const struct most *from)
{
	if (from->value > into->value)
		into->value = from->value;
}

#pragma omp declare reduction(join                                                                 \
			      : struct most                                                        \
			      : join(&omp_out, &omp_in)) initializer(omp_priv = (struct most){-1})

/* Its own function folds what the threads have found; in each round the next loop finds the same.
 */
static int find_most(int count)
{
	struct most most = {-1};

	for (int round = 0; round < 2; round++) {
#pragma omp parallel for reduction(join : most)
		for (int i = 0; i < count; i++)
			if (i > most.value)
				most.value = i;
	}
	return most.value;
}

/* Who describes the second loop looks at what the critical construct changes. */
static int find_largest(int rounds)
{
	static int largest;

	for (int round = 0; round < rounds; round++) {
#pragma omp parallel
		{
#pragma omp critical
			if (largest < round)
				largest = round;
#pragma omp for nowait
			for (int i = 0; i < 375; i++) {
			}
		}
	}
	return largest;
}

int main(void)
{
	omp_init_lock(&lock);
#pragma omp parallel
	{
		int me = omp_get_thread_num();

#pragma omp atomic write
		flag = 1;
		bytes[me] = (char)me;
		for (int i = 0; i < 30; i++) {
#pragma omp critical
			total += me + 1;
#pragma omp atomic
			sum += i;
			omp_set_lock(&lock);
			stolen++;
			omp_unset_lock(&lock);
		}
#pragma omp barrier
		if (me == 0)
			total = 7;
#pragma omp barrier
#pragma omp critical
		total++;
#pragma omp for ordered schedule(dynamic)
		for (int i = 1; i < 100; i++)
#pragma omp ordered
			turns[i] = turns[i - 1] + 1;
	}
	printf("%d %d %d %d %d %d\n", total - omp_get_max_threads(), sum / omp_get_max_threads(),
	       turns[99], stolen / omp_get_max_threads(), find_most(100), find_largest(6));
	return 0;
}

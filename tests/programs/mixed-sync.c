/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mixed-sync.c - one datum handed on by critical, atomic, lock, ordered, single, flush and barrier. */
#include <omp.h>
#include <stdio.h>

static struct {
	int before;
	int value;
	short steps;
	char last;
	char after;
} datum = {-1, 0, 0, '-', '!'};

static double array[257];

static void step(char how)
{
	datum.value = datum.value * 3 % 4099 + 1;
	datum.steps++;
	datum.last = how;
	array[datum.steps % 257] += datum.value;
}

int main(void)
{
	int threads = omp_get_max_threads(), expected = 0, wrong = 0;
	long sum = 0;
	omp_lock_t lock;

	omp_init_lock(&lock);
#pragma omp parallel reduction(+ : wrong)
	for (int round = 0; round < 3; round++) {
#pragma omp critical
		step('c');
#pragma omp barrier
		wrong += datum.last != 'c';
#pragma omp barrier
		omp_set_lock(&lock);
		step('l');
		omp_unset_lock(&lock);
#pragma omp barrier
		wrong += datum.steps != (short)(round * (2 * threads + 15) + 2 * threads);
#pragma omp barrier
#pragma omp for ordered schedule(dynamic)
		for (int i = 0; i < 12; i++) {
#pragma omp ordered
			step('o');
		}
		wrong += datum.last != 'o';
#pragma omp barrier
#pragma omp single
		step('s');
#pragma omp sections
		{
#pragma omp section
			{
				step('x');
#pragma omp flush
			}
#pragma omp section
			wrong += datum.after != '!' || datum.before != -1;
		}
#pragma omp master
		step('m');
#pragma omp barrier
		wrong += datum.last != 'm';
#pragma omp barrier
	}
	omp_destroy_lock(&lock);
	for (int i = 0; i < 3 * (2 * threads + 15); i++)
		expected = expected * 3 % 4099 + 1;
	for (int i = 0; i < 257; i++)
		sum += (long)array[i];
	printf("%d wrong, %d %d %ld\n", wrong, datum.value == expected,
	       datum.steps == 3 * (2 * threads + 15), sum);
	return 0;
}

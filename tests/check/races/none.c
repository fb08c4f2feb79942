/* SPDX-License-Identifier: GPL-2.0-or-later */
/* none.c - the same variables, ordered in every way there is: no race. */
#include <omp.h>
#include <stdio.h>

static int flag, total, sum, turns[100], stolen;
static char bytes[64];
static omp_lock_t lock;

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
	printf("%d %d %d %d\n", total - omp_get_max_threads(), sum / omp_get_max_threads(),
	       turns[99], stolen / omp_get_max_threads());
	return 0;
}

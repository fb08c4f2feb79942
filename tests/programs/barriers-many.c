/* SPDX-License-Identifier: GPL-2.0-or-later */
/* barriers-many.c - a hundred sync points with tiny changes, values handed round from thread to
 * thread. */
#include <omp.h>
#include <stdio.h>

static int ring[64], history[100];

int main(void)
{
	int expected = 0, wrong = 0;

#pragma omp parallel reduction(+ : wrong)
	{
		int me = omp_get_thread_num(), threads = omp_get_num_threads(), carried;

		ring[me] = me * 11;
#pragma omp barrier
		for (int step = 0; step < 40; step++) {
			carried = ring[(me + 1) % threads];
#pragma omp barrier
			ring[me] = carried;
			if (step % threads == me)
				history[step] = step * step;
#pragma omp barrier
			if (step)
				wrong += history[step - 1] != (step - 1) * (step - 1);
		}
		wrong += ring[me] != (me + 40) % threads * 11;
#pragma omp single
		expected = history[39];
	}
	printf("%d %d\n", wrong, expected);
	return 0;
}

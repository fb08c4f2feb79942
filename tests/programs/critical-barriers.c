/* SPDX-License-Identifier: GPL-2.0-or-later */
/* critical-barriers.c - the last value written under a lock outlives every sync point behind it. */
#include <omp.h>
#include <stdio.h>

static int ticket, latest, history[2000], plain[64];
static struct {
	short writer;
	short value;
	int copies[5];
} record;

int main(void)
{
	int threads = omp_get_max_threads(), wrong = 0;

#pragma omp parallel reduction(+ : wrong)
	{
		int me = omp_get_thread_num();

		for (int round = 0; round < 10; round++) {
			/* In turn, low threads and high threads are the busy ones. */
			int times = round % 2 ? me % 4 : 3 - me % 4;

			for (int i = 0; i < times; i++) {
#pragma omp critical
				{
					history[ticket] = me;
					latest = ++ticket;
					record.writer = (short)me;
					record.value++;
					for (int k = 0; k < 5; k++)
						record.copies[k] = ticket * (k + 1);
				}
			}
			plain[me] = ticket * 0 + round;
#pragma omp barrier
			wrong += latest != ticket || record.value != ticket;
			wrong += ticket > 0 && record.writer != history[ticket - 1];
			for (int k = 0; k < 5; k++)
				wrong += record.copies[k] != ticket * (k + 1);
			for (int t = 0; t < threads; t++)
				wrong += plain[t] != round;
#pragma omp barrier
		}
		/* Written by one thread without a lock, then by all under it, then read by all. */
#pragma omp single
		latest = 1000;
#pragma omp critical
		latest++;
#pragma omp barrier
		wrong += latest != 1000 + threads;
	}
	printf("%d wrong, %d %d\n", wrong, ticket == record.value, latest - threads);
	return 0;
}

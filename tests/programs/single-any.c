/* SPDX-License-Identifier: GPL-2.0-or-later */
/* single-any.c - single run by whoever comes first, with every clause, many in a row. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 30

static int times[ROUNDS], who[ROUNDS], total;
static double *table;
static struct {
	char name[6];
	long number;
} fact;

int main(void)
{
	int threads = omp_get_max_threads(), wrong = 0, base = 10;

#pragma omp parallel reduction(+ : wrong)
	{
		int me = omp_get_thread_num(), got = -1, row[4] = {0};
		double *pointer = NULL;

		for (int round = 0; round < ROUNDS; round++) {
#pragma omp single nowait
			{
				times[round]++;
				who[round] = me;
			}
		}
#pragma omp barrier
		for (int round = 0; round < ROUNDS; round++)
			wrong += times[round] != 1 || who[round] < 0 || who[round] >= threads;
		for (int round = 0; round < 6; round++) {
#pragma omp single
			{
				total += round;
				snprintf(fact.name, sizeof(fact.name), "r%d", round);
				fact.number = total * 10L;
			}
			wrong += fact.number != total * 10L || fact.name[1] != '0' + round;
#pragma omp barrier
#pragma omp single copyprivate(got, row, pointer)
			{
				got = round * 7;
				for (int i = 0; i < 4; i++)
					row[i] = round + i;
				pointer = calloc(5, sizeof(*pointer));
				pointer[round % 5] = round;
			}
			wrong += got != round * 7 || row[3] != round + 3;
			wrong += pointer[round % 5] != round;
#pragma omp barrier
#pragma omp single
			free(pointer);
		}
#pragma omp single firstprivate(base) private(got)
		{
			got = base++;
			table = malloc(8 * sizeof(*table));
			for (int i = 0; i < 8; i++)
				table[i] = got + i;
		}
		wrong += table[7] != 17 || base != 10;
		/* Work of one thread between loops of all. */
#pragma omp for schedule(dynamic) nowait
		for (int i = 0; i < 40; i++)
			if (i == 39)
				row[0] = me;
#pragma omp single nowait
		total += 1000;
	}
	printf("%d wrong, %d %.1f %d %s\n", wrong, total, table[0], base, fact.name);
	free(table);
	return 0;
}

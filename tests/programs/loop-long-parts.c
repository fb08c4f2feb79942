/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop-long-parts.c - long loops without a chunk: one block each, in order, of nearly one size. */
#include <omp.h>
#include <stdio.h>

#define MOST 600001

static signed char owner[MOST];

static void run(int trips)
{
	int threads = omp_get_max_threads(), wrong = 0, part[64] = {0};

	for (int i = 0; i < trips; i++)
		owner[i] = -1;
#pragma omp parallel for
	for (int i = 0; i < trips; i++)
		owner[i] = (signed char)(owner[i] == -1 ? omp_get_thread_num() : -2);
	for (int i = 0; i < trips; i++) {
		wrong += owner[i] < 0 || (i && owner[i] < owner[i - 1]);
		if (owner[i] >= 0)
			part[owner[i]]++;
	}
	for (int i = 0; i < threads; i++)
		wrong += 15 * trips > 16 * threads * part[i] || 16 * threads * part[i] > 17 * trips;
	printf("%d %s\n", trips, wrong ? "wrong" : "right");
}

int main(void)
{
	run(16383);
	run(32767);
	run(65536);
	run(90000);
	run(131073);
	run(MOST);
	return 0;
}

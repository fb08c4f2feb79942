/* SPDX-License-Identifier: GPL-2.0-or-later */
/* locks-rows.c - rows with a lock each, on pages that a region before left with one node alone. */
#include <omp.h>
#include <stdio.h>

#define N     200
#define ADDED 1500

static unsigned long table[N][N], reference[N][N];
static omp_lock_t locks[N];

static void add(unsigned long *row, int number)
{
	for (int k = 0; k < N; k++)
		row[k] += (unsigned long)(number % 7 + k);
}

int main(void)
{
	int wrong = 0;

	for (int i = 0; i < N; i++)
		omp_init_lock(&locks[i]);
	for (int round = 0; round < 6; round++) {
#pragma omp parallel for schedule(dynamic, 3)
		for (int i = 0; i < ADDED; i++) {
			int row = (i * 37 + round) % N;

			omp_set_lock(&locks[row]);
			add(table[row], i);
			omp_unset_lock(&locks[row]);
		}
#pragma omp parallel for collapse(2) schedule(guided)
		for (int i = 0; i < N; i++)
			for (int k = 0; k < N; k++)
				table[i][k] = table[i][k] * 0x9e3779b97f4a7c15 + 1;
	}
	for (int round = 0; round < 6; round++) {
		for (int i = 0; i < ADDED; i++)
			add(reference[(i * 37 + round) % N], i);
		for (int i = 0; i < N; i++)
			for (int k = 0; k < N; k++)
				reference[i][k] = reference[i][k] * 0x9e3779b97f4a7c15 + 1;
	}
	for (int i = 0; i < N; i++) {
		for (int k = 0; k < N; k++)
			wrong += table[i][k] != reference[i][k];
		omp_destroy_lock(&locks[i]);
	}
	printf("%d wrong\n", wrong);
	return 0;
}

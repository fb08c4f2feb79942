/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regions-in-loop.c - many regions, with sequential code changing shared data between them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 500

static int ring[N];
static double weights[N];
static char log_text[200];

int main(void)
{
	int *heap = calloc(N, sizeof(int)), local[N], shift = 1;
	long sum = 0;

	memset(local, 0, sizeof(local));
	for (int round = 0; round < 25; round++) {
		/* Sequential, the same on every node. */
		ring[round * 13 % N] += round;
		heap[(round * 7 + 1) % N]--;
		local[round] = round;
		shift = round % 2 ? shift + 3 : shift - 1;
		snprintf(log_text + strlen(log_text), sizeof(log_text) - strlen(log_text), "%d,",
			 shift);
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < N; i++) {
			int from = (i + shift + N) % N;

			heap[i] += ring[from];
			weights[i] += 0.5 * local[from];
			sum += heap[i] & 3;
		}
		/* Back to zero, so that only the twin knows what was there. */
		if (round % 5 == 4)
			memset(heap, 0, N / 2 * sizeof(int));
		if (round % 6 == 3)
			memmove(ring + 1, ring, (N - 1) * sizeof(int));
#pragma omp parallel
		{
#pragma omp for nowait
			for (int i = 0; i < N; i++)
				local[i] += heap[N - 1 - i];
#pragma omp single
			ring[0] ^= round;
		}
	}
	for (int i = 0; i < N; i += 31)
		printf("%d %d %d %.1f\n", ring[i], heap[i], local[i], weights[i]);
	printf("%ld %s\n", sum, log_text);
	free(heap);
	return 0;
}

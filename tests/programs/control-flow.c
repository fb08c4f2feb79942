/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control-flow.c - all of C's control flow in a region, and loops whose bodies leave early. */
#include <stdio.h>

#define N 90

static int out[N], loops;

static int classify(int i)
{
	switch (i % 6) {
	case 0:
		return -1;
	case 1:
	case 2:
		if (i > 50)
			break;
		return i * 2;
	default:
		goto found;
	}
	return 7;
found:
	return i ? i - 1 : 0;
}

int main(void)
{
	int round = 0, limit = 3, sum = 0;

#pragma omp parallel for
	for (int i = 0; i < N; i++) {
		int n = i;

		if (i % 10 == 9)
			continue;
		while (1) {
			if (n > 200)
				break;
			n = n * 2 + 1;
		}
		do {
			n -= 3;
			if (n % 7 == 0)
				goto done;
		} while (n > 0);
		n = 1000;
	done:
		out[i] = n + classify(i);
	}
#pragma omp parallel
	{
		int mine = 0;

		while (mine < limit) {
			mine++;
#pragma omp single
			round += mine;
			if (mine == 2) {
#pragma omp for
				for (int i = 0; i < N; i++)
					out[i]++;
			} else if (mine > 2) {
#pragma omp barrier
				continue;
			}
		}
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < N; i++)
			for (int j = 0;; j++) {
				if (j > out[i] % 5)
					break;
				sum += j;
			}
#pragma omp master
		for (loops = 0; loops < 10; loops++)
			if (loops == 6)
				break;
	}
	for (int i = 0; i < N; i += 7)
		printf("%d ", out[i]);
	printf("%d %d %d\n", round, sum, loops);
	return 0;
}

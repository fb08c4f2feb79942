/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recursion.c - recursive functions with a region, below a region, and around one. */
#include <stdio.h>

static int visits[40];

/* A region at each depth, with variables of its own and of its callers. */
static int descend(int depth, int *total)
{
	int here = depth * 2, below = 0, values[10];

#pragma omp parallel for
	for (int i = 0; i < 10; i++)
		values[i] = here + i;
	visits[depth]++;
	if (depth)
		below = descend(depth - 1, &here);
#pragma omp parallel for reduction(+ : below)
	for (int i = 0; i < 10; i++)
		below += values[i];
	*total += here;
	return below;
}

static int hanoi(int disks)
{
	return disks ? hanoi(disks - 1) * 2 + 1 : 0;
}

static long ackermann(long m, long n)
{
	if (!m)
		return n + 1;
	return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

int main(void)
{
	int total = 0, moves[12];
	long results[3][4], sum = 0;

	printf("%d\n", descend(9, &total));
	printf("%d %d\n", total, visits[4]);
#pragma omp parallel
	{
#pragma omp for nowait
		for (int i = 0; i < 12; i++)
			moves[i] = hanoi(i);
#pragma omp for collapse(2) reduction(+ : sum)
		for (int m = 0; m < 3; m++)
			for (int n = 0; n < 4; n++) {
				results[m][n] = ackermann(m, n);
				sum += results[m][n];
			}
	}
	printf("%d %ld %ld\n", moves[11], results[2][3], sum);
	return 0;
}

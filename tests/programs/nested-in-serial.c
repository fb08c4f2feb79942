/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nested-in-serial.c - regions within a region that its clauses make a team of one. */
#include <omp.h>
#include <stdio.h>

static int count[8];

static int work(int parts)
{
	int sum = 0, local[8] = {0};

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < parts; i++) {
		local[i] = i + 1;
		count[i]++;
		sum += i;
	}
	for (int i = 0; i < parts; i++)
		sum += local[i];
	return sum;
}

int main(void)
{
	int part[8] = {0}, sum = 0;

#pragma omp parallel num_threads(1)
	{
#pragma omp parallel for
		for (int i = 0; i < 8; i++)
			part[i] = i * i;
		for (int i = 0; i < 8; i++)
			sum += part[i];
		sum += work(8);
	}
#pragma omp parallel if (count[0] > 100)
	sum += work(7) + omp_get_num_threads();
	printf("%d", sum);
	for (int i = 0; i < 8; i++)
		printf(" %d", count[i]);
	putchar('\n');
	return 0;
}

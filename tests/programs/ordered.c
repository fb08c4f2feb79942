/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ordered.c - ordered with every schedule, in part of the iterations, orphaned, downwards. */
#include <stdio.h>

#define N 60

static int list[4 * N], length, last;
static unsigned long hash;

static void append(int value)
{
#pragma omp ordered
	{
		list[length++] = value;
		hash = hash * 31 + (unsigned long)value;
		last = value;
	}
}

static void show(const char *name)
{
	int sorted = 1;

	for (int i = 1; i < length; i++)
		sorted &= list[i - 1] < list[i];
	printf("%s: %d %d %lx %d\n", name, length, sorted, hash, last);
	length = 0;
}

int main(void)
{
	int carry = 1, work[N] = {0};

#pragma omp parallel for ordered
	for (int i = 0; i < N; i++) {
		work[i] = i * i;
		append(work[i]);
	}
	show("default");
#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < N; i++)
		append(i);
	show("static, 1");
#pragma omp parallel for ordered schedule(static, 7)
	for (int i = 0; i < N; i++) {
#pragma omp ordered
		{
			carry = carry * 5 % 1009 + i;
			list[length++] = i;
		}
	}
	show("static, 7");
	printf("%d\n", carry);
#pragma omp parallel for ordered schedule(dynamic)
	for (int i = 0; i < N; i++)
		append(i * 2);
	show("dynamic");
#pragma omp parallel for ordered schedule(dynamic, 4)
	for (int i = 0; i < N; i++) {
		/* Not every iteration has an ordered block; some leave early. */
		if (i % 3 == 1)
			continue;
		if (i % 5)
			append(i);
		work[i]++;
	}
	show("dynamic, 4");
#pragma omp parallel for ordered schedule(guided) collapse(2)
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 10; j++)
			append(i * 10 + j);
	show("collapse");
#pragma omp parallel
	{
#pragma omp for ordered nowait schedule(static, 2)
		for (int i = N; i > 0; i--)
			append(N - i);
#pragma omp barrier
#pragma omp for ordered schedule(dynamic, 3) lastprivate(carry)
		for (int i = 0; i < 2 * N; i += 2) {
			carry = i;
			append(100 + i);
		}
	}
	show("downwards");
	carry += work[5];
	printf("%d\n", carry);
	append(1);
	show("outside");
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regions in a signal handler, and in a function that it calls: the kernel's frame is each node's.
 */
#include <signal.h>
#include <stdio.h>

static int sum;

static __attribute__((noinline)) void add(void)
{
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 10; i++)
		sum += i;
}

static void handler(int number)
{
	(void)number;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 10; i++)
		sum += i;
	add();
}

int main(void)
{
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	printf("%d\n", sum);
	return 0;
}

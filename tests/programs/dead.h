/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dead.h - whether what is dead on the stack of sequential code is alike on all nodes. */
#include <omp.h>

#define THREADS 64
#define DEAD	24000

static unsigned long seen[THREADS];

static unsigned long sum_of(const volatile unsigned char *bytes, unsigned long size)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < size; i++)
		sum = sum * 31 + bytes[i];
	return sum;
}

/* Whether threads have other bytes than the master where a variable begins its life. */
__attribute__((noinline)) static int look(void)
{
	unsigned char dead[DEAD];
	int wrong = 0;

	__asm__ volatile("" : : "r"(dead) : "memory");
#pragma omp parallel
	seen[omp_get_thread_num() % THREADS] = sum_of(dead, sizeof(dead));
	for (int i = 1; i < omp_get_max_threads() && i < THREADS; i++)
		wrong |= seen[i] != seen[0];
	return wrong;
}

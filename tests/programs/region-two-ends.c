/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * region-two-ends.c - a region whose end a compiler has made twice, for the master and for the
 * others, with the same variables in other registers, as gcc -O3 does; here it is written out.
 */
#include <omp.h>
#include <stdio.h>
#if __has_include(<cape.h>)
#include <cape.h>
#endif

static long seen[64];

#define END_WITH(FIRST, SECOND)                                                                    \
	do {                                                                                       \
		register long first __asm__(FIRST) = *one;                                         \
		register long second __asm__(SECOND) = *other;                                     \
                                                                                                   \
		__asm__ volatile("" : "+r"(first), "+r"(second));                                  \
		cape_end(CAPE_PARALLEL, 0);                                                        \
		__asm__ volatile("" : "+r"(first), "+r"(second));                                  \
		return first * 1000 + second;                                                      \
	} while (0)

static long run(volatile long *one, volatile long *other)
{
#if __has_include(<cape.h>)
	cape_begin(CAPE_PARALLEL, 0, 0);
	ckpt_start();
	if (omp_get_thread_num() == 0)
		END_WITH("rbx", "r12");
	else
		END_WITH("r12", "rbx");
#else
	return *one * 1000 + *other;
#endif
}

int main(void)
{
	volatile long one = 5, other = 77;
	long value = run(&one, &other);
	int wrong = 0;

#pragma omp parallel reduction(+ : wrong)
	{
		seen[omp_get_thread_num() % 64] = value;
		wrong += value != 5077;
	}
	printf("%ld, %d wrong, %ld\n", value, wrong, seen[(omp_get_max_threads() - 1) % 64]);
	return 0;
}

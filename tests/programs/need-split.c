/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-split.c - a value of a user's reduction lies on two pages, of which one or two threads fill
 * one at the same sync point.
 */
#include <omp.h>
#include <stdio.h>

#define PAGE   4096
#define FILLED 1500 /* bytes, by each of those who fill */

struct three {
	long a, b, c;
};

#pragma omp declare reduction(add                                                                  \
			      : struct three                                                       \
			      : omp_out.a += omp_in.a, omp_out.b += omp_in.b,                      \
				omp_out.c += omp_in.c) initializer(omp_priv = {0, 0, 0})

static struct {
	char bytes[2 * PAGE];
} memory __attribute__((aligned(PAGE)));

static void fill(int writer, int round)
{
	for (int i = 0; i < FILLED; i++)
		memory.bytes[PAGE + 100 + writer * FILLED + i] += (char)(round + i + 1);
}

static void reduce(int writers)
{
	/* The second begins 8 bytes before the page's end. */
	struct three *value = (struct three *)(memory.bytes + PAGE - 8 - sizeof(*value));
	unsigned sum = 0;

	for (int round = 0; round < 4; round++)
#pragma omp parallel
	{
#pragma omp for reduction(add : value[:2]) nowait
		for (int i = 0; i < 16; i++) {
			value[0].a += i;
			value[1].a += 2 * i;
			value[1].c++;
		}
		for (int writer = 0; writer < writers; writer++)
			if (omp_get_thread_num() == (1 + writer) % omp_get_num_threads())
				fill(writer, round);
#pragma omp barrier
	}
	for (int i = 0; i < 2 * PAGE; i++)
		sum = sum * 31 + (unsigned)memory.bytes[i];
	printf("%ld %ld %ld %u\n", value[0].a, value[1].a, value[1].c, sum);
}

int main(void)
{
	reduce(1);
	reduce(2);
	return 0;
}

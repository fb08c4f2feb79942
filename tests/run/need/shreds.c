/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shreds.c - of more pages than the kernel protects one by one every other one has other holders:
 * two threads write to it, or the one that writes changes much of it, and another has read all.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE   4096
#define PAGES  70000ul
#define ROUNDS 3

static void write_all(unsigned char *memory, int round, int writers)
{
	for (size_t page = 0; page < PAGES; page++)
		memset(memory + page * PAGE, round + (int)(page % 100),
		       writers == 1 && round > 1 && page % 2 ? 8 : PAGE / 2);
}

static unsigned long read_all(const unsigned char *memory)
{
	unsigned long sum = 0;

	for (size_t page = 0; page < PAGES; page++)
		sum += memory[page * PAGE] * 3ul + memory[page * PAGE + PAGE - 1];
	return sum;
}

int main(int argc, char **argv)
{
	int writers = argc > 1 ? atoi(argv[1]) : 1;
	unsigned char *memory = malloc(PAGES * PAGE);
	unsigned long sum = 0;

	memset(memory, 0, PAGES * PAGE);
	for (int round = 1; round <= ROUNDS; round++) {
#pragma omp parallel
		{
			int last = omp_get_num_threads() - 1;

			if (omp_get_thread_num() == 0)
				write_all(memory, round, writers);
			if (writers == 2 && omp_get_thread_num() == (last ? 1 : 0))
				for (size_t page = 0; page < PAGES; page += 2)
					memory[page * PAGE + PAGE - 1] = (unsigned char)round;
		}
#pragma omp parallel reduction(+ : sum)
		if (writers == 1 && round == 1 && omp_get_thread_num() == omp_get_num_threads() - 1)
			sum += read_all(memory);
	}
	printf("%lu\n", sum + read_all(memory));
	free(memory);
	return 0;
}

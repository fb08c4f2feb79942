/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resident.c - what sequential code fills before the first region, and known loops use, is
 * in memory once: nothing is kept to compare it with.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 8 << 20 };

/* Bytes of memory that the process has. */
static size_t resident(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	size_t all, pages = 0;

	if (file && fscanf(file, "%zu %zu", &all, &pages) != 2)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

int main(void)
{
	size_t size = COUNT * sizeof(long);
	long *numbers = malloc(size), sum = 0;

	for (int i = 0; i < COUNT; i++)
		numbers[i] = i;
	for (int round = 0; round < 2; round++) {
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < COUNT; i++)
			sum += numbers[i];
	}
	printf("%ld, %s\n", sum, resident() < size + size / 2 ? "once" : "more than once");
	free(numbers);
	return 0;
}

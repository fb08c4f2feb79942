/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * huge.c - arrays of which each node writes its part, again and again: prints how much of them lies
 * in huge pages on node 0, in KB.
 */
#include <stdio.h>
#include <stdlib.h>

#define LENGTH	(4ul << 20) /* of each array, 32 MB */
#define REGIONS 6

/* What of the memory from START to END lies in huge pages. */
static long huge_pages(unsigned long start, unsigned long end)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	unsigned long from, to;
	long found = 0, size;
	int inside = 0;
	char line[512];

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			inside = from < end && to > start;
		else if (inside && sscanf(line, "AnonHugePages: %ld", &size) == 1)
			found += size;
	}
	fclose(file);
	return found;
}

static void smooth(const double *from, double *to)
{
#pragma omp parallel for
	for (unsigned long i = 1; i < LENGTH - 1; i++)
		to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
}

int main(void)
{
	double *memory = calloc(2 * LENGTH, sizeof(*memory)), *from = memory, *to = memory + LENGTH;

#pragma omp parallel for
	for (unsigned long i = 0; i < LENGTH; i++)
		from[i] = to[i] = (double)(i % 100);
	for (int region = 0; region < REGIONS; region++) {
		double *last = from;

		smooth(from, to);
		from = to;
		to = last;
	}
	printf("%ld\n", huge_pages((unsigned long)memory, (unsigned long)(memory + 2 * LENGTH)));
	return 0;
}

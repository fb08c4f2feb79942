/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * echo.c - prints its arguments, the variable CAPE_TEST as each node has it, and the size and sum
 * of its standard input; one line on stderr.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	unsigned long size = 0, sum = 0;
	int nodes = 0, same = 0, byte;
	const char *value = getenv("CAPE_TEST");

	for (int i = 1; i < argc; i++)
		printf("argument %d: <%s>\n", i, argv[i]);
	while ((byte = getchar()) != EOF) {
		size++;
		sum += (unsigned long)byte * (size % 251);
	}
	printf("input: %lu bytes, sum %lu\n", size, sum);
#pragma omp parallel reduction(+ : nodes, same)
	{
		const char *here = getenv("CAPE_TEST");

		nodes++;
		same += here && value && strcmp(here, value) == 0;
	}
	printf("CAPE_TEST: <%s> on %d of %d\n", value ? value : "", same, nodes);
	fprintf(stderr, "a line on stderr\n");
	return 0;
}

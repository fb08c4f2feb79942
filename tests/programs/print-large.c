/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print-large.c - megabytes of output: many small pieces, few large ones, none lost or doubled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES 12000

static unsigned int numbers[LINES];

int main(void)
{
	char *large = malloc(700001);

#pragma omp parallel for
	for (unsigned int i = 0; i < LINES; i++)
		numbers[i] = i * 2654435761U;
	for (int i = 0; i < LINES; i++)
		printf("line %d: %u %08x\n", i, numbers[i], numbers[LINES - 1 - i]);
#pragma omp parallel for
	for (int i = 0; i < 700000; i++)
		large[i] = (char)(i % 101 == 100 ? '\n' : ' ' + (i * 7 + i / 101) % 95);
	large[700000] = 0;
	fputs(large, stdout);
	memset(large, 'z', 100000);
#pragma omp parallel for
	for (int i = 0; i < 100; i++)
		large[i * 1000] = '\n';
	fwrite(large, 1, 100000, stdout);
	puts("the end");
	free(large);
	return 0;
}

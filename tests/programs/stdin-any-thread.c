/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stdin-any-thread.c - threads take lines of standard input in turns, under a critical construct. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static long sum, lines, weighted;

int main(void)
{
	char line[100];
	int first = 0;

	if (fgets(line, sizeof(line), stdin))
		first = atoi(line);
#pragma omp parallel
	{
		char mine[100];
		int more = 1;

		while (more) {
#pragma omp critical(input)
			{
				more = lines < 20 && fgets(mine, sizeof(mine), stdin) != NULL;
				if (more) {
					lines++;
					sum += atoi(mine);
					weighted += lines * atoi(mine);
				}
			}
		}
	}
	printf("%d %ld %ld %ld\n", first, lines, sum, weighted);
	/* The rest, by sequential code again. */
	while (fgets(line, sizeof(line), stdin))
		printf("%d ", atoi(line));
	printf("\n%d\n", feof(stdin) != 0);
	return 0;
}

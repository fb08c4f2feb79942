/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order.c - each node in turn prints to stdout and stderr, binary bytes among them, in blocks.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10;
	size_t size = argc > 2 ? (size_t)atol(argv[2]) : 100;
	char *block = malloc(size);

	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 0; i < rounds; i++) {
		memset(block, i, size);
		printf("<round %d", i);
#pragma omp parallel for ordered schedule(static, 1)
		for (int j = 0; j < 5; j++) {
#pragma omp ordered
			{
				printf("(%d", j);
				fwrite(block, 1, size, stdout);
				fprintf(stderr, "err %d %d\n", i, j);
				printf(")");
			}
		}
		printf(">\n");
	}
	free(block);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * streams-of-memory.c - open_memstream() in regions, in memory that had numbers before: the C
 * library leaves there what would be the descriptor of another stream.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 128
#define MOST  2048

/* Of all sizes that a stream may have: numbers that are no descriptor here. */
static void leave_numbers(int number)
{
	for (size_t size = LEAST; size < MOST; size += 8) {
		volatile int *block = malloc(size);

		for (size_t i = 0; i < size / sizeof(int); i++)
			block[i] = number;
		free((void *)block);
	}
}

static int print_to_memory(int value)
{
	size_t size = 0;
	char *text = NULL;
	FILE *stream = open_memstream(&text, &size);
	int got;

	fprintf(stream, "%d", value);
	fflush(stream);
	fclose(stream);
	got = atoi(text);
	free(text);
	return got;
}

int main(void)
{
	int wrong = 0;

#pragma omp parallel for reduction(+ : wrong)
	for (int i = 0; i < 200; i++) {
		leave_numbers(550 + i);
		wrong += print_to_memory(i) != i;
	}
	printf("%d\n", wrong);
	return 0;
}

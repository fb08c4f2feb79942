/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heap-calls.c - every call that allocates, by all threads in a region, and what the C library takes. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *blocks[64][9];

static int aligned(const void *block, size_t alignment)
{
	return block && (uintptr_t)block % alignment == 0;
}

/* Fills blocks[me]; returns how many have something wrong. */
static int allocate(int me)
{
	char **mine = blocks[me];
	void *block = NULL;
	int wrong = 0;

	mine[0] = malloc(33);
	mine[1] = calloc(17, 3);
	for (int i = 0; i < 51; i++)
		wrong += mine[1][i] != 0;
	mine[2] = realloc(NULL, 10);
	strcpy(mine[2], "kept");
	mine[2] = realloc(mine[2], 100000);
	wrong += strcmp(mine[2], "kept") != 0;
	mine[2] = realloc(mine[2], 6);
	wrong += strcmp(mine[2], "kept") != 0;
	mine[3] = aligned_alloc(256, 512);
	wrong += !aligned(mine[3], 256);
	wrong += posix_memalign(&block, 4096, 100) != 0 || !aligned(block, 4096);
	mine[4] = block;
	wrong += posix_memalign(&block, 24, 100) != EINVAL;
	mine[5] = memalign(64, 65);
	wrong += !aligned(mine[5], 64);
	mine[6] = strdup("duplicate");
	mine[7] = strndup("only five", 5);
	wrong += strlen(mine[7]) != 5;
	wrong += asprintf(&mine[8], "thread %d of %s", me, "many") < 14;
	free(NULL);
	for (int i = 0; i < 9; i++)
		wrong += malloc_usable_size(mine[i]) < 1;
	return wrong;
}

int main(void)
{
	int threads = omp_get_max_threads(), wrong = 0, foreign = 0;
	char *line = NULL, *text = NULL;
	size_t size = 0;
	FILE *stream;

#pragma omp parallel reduction(+ : wrong, foreign)
	{
		int me = omp_get_thread_num(), next = (me + 1) % threads;

		for (int round = 0; round < 3; round++) {
			wrong += allocate(me);
			for (int i = 0; i < 6; i++)
				memset(blocks[me][i], 'A' + i, i == 2 ? 6 : 33);
#pragma omp barrier
			/* The neighbour's: seen, grown and freed by us. */
			for (int i = 0; i < 6; i++)
				foreign += blocks[next][i][5] == 'A' + i;
			foreign += strncmp(blocks[next][8], "thread ", 7) == 0 &&
				   atoi(blocks[next][8] + 7) == next;
			blocks[next][6] = realloc(blocks[next][6], 5000);
			foreign += strcmp(blocks[next][6], "duplicate") == 0;
#pragma omp barrier
			for (int i = 0; i < 9; i++)
				free(blocks[next][i]);
#pragma omp barrier
		}
	}
	printf("%d wrong, %d\n", wrong, foreign == 3 * 8 * threads);
	/* What the C library allocates for us. */
	stream = open_memstream(&text, &size);
	for (int i = 0; i < 100; i++)
		fprintf(stream, "line %d\n", i);
	fclose(stream);
	stream = fmemopen(text, size, "r");
	for (wrong = 0, size = 0; getline(&line, &size, stream) > 0; wrong++)
		;
	fclose(stream);
	printf("%d %s", wrong, line);
	free(line);
	free(text);
	return 0;
}

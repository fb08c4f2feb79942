/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heap-in-parallel.c - memory from malloc in a region, published, used by others, freed later. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 64

struct item {
	int number;
	char *text;
	struct item *partner;
};

static struct item *items[N];
static char *large;

int main(void)
{
	size_t length = 0;
	long sum = 0;

	for (int round = 0; round < 3; round++) {
#pragma omp parallel
		{
			char *scratch = malloc(100 + 1000 * (size_t)omp_get_thread_num());

#pragma omp for
			for (int i = 0; i < N; i++) {
				items[i] = malloc(sizeof(*items[i]));
				items[i]->number = i * (round + 1);
				sprintf(scratch, "item %d of round %d", i, round);
				items[i]->text = malloc(strlen(scratch) + 1);
				strcpy(items[i]->text, scratch);
			}
			free(scratch);
			/* Another thread's blocks, through shared memory. */
#pragma omp for schedule(static, 1)
			for (int i = 0; i < N; i++) {
				items[i]->partner = items[N - 1 - i];
				items[i]->text[0] = 'I';
			}
#pragma omp for reduction(+ : sum)
			for (int i = 0; i < N; i++)
				sum += items[i]->partner->number + items[i]->partner->text[0];
#pragma omp single
			{
				large = malloc(3 << 20);
				memset(large, 'x', 3 << 20);
			}
#pragma omp for
			for (int i = 0; i < N; i++)
				large[i << 12] = (char)('0' + i % 10);
				/* A block allocated by one thread, freed by another. */
#pragma omp for schedule(static, 2)
			for (int i = 0; i < N; i += 2) {
				free(items[i]->text);
				items[i]->text = NULL;
			}
		}
		for (int i = 0; i < N; i++) {
			if (items[i]->text)
				length += strlen(items[i]->text);
			free(items[i]->text);
			free(items[i]);
		}
		printf("%zu %ld %c%c%c %s\n", length, sum, large[0], large[7 << 12], large[8191],
		       round % 2 ? "odd" : "even");
		free(large);
	}
	return 0;
}

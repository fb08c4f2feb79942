/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-heap.c - the C library works on memory of which each thread has just written a part:
 * allocates it anew, frees it, copies, sorts, searches and compares it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT (5 * 64 * 1024 / sizeof(int))

static int still[COUNT];

static int *fill(int *array, unsigned seed)
{
#pragma omp parallel for
	for (unsigned i = 0; i < COUNT; i++)
		array[i] = (int)((i * 7u + i / 256u + seed) * 2654435761u >> 8) + 1;
	return array;
}

static unsigned sum(const int *array, size_t count)
{
	unsigned total = 0;

	for (size_t i = 0; i < count; i++)
		total = total * 31 + (unsigned)array[i];
	return total;
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void allocations(void)
{
	int *array = fill(malloc(COUNT * sizeof(int)), 1), *other, *zeros;

	array = realloc(array, 3 * COUNT * sizeof(int));
	printf("larger %x\n", sum(array, COUNT));
	fill(array + COUNT, 2);
	array = realloc(array, COUNT * sizeof(int) / 2);
	printf("smaller %x\n", sum(array, COUNT / 2));
	other = fill(malloc(COUNT * sizeof(int)), 3);
	free(fill(other, 4));
	zeros = calloc(COUNT, sizeof(int));
	printf("zeros %x\n", sum(zeros, COUNT));
	fill(zeros, 5);
	for (int i = 0; i < 100; i++) {
		char *piece = malloc(100 + (size_t)i * 100);

		memset(piece, i, 100 + (size_t)i * 100);
		free(piece);
	}
	printf("others' %x\n", sum(zeros, COUNT));
	free(zeros);
	free(array);
}

static void work_on(int *a, int *b)
{
	int key;
	char *text = (char *)b;

	fill(a, 11);
	fill(b, 12);
	memcpy(b, a, COUNT * sizeof(int) / 2);
	printf("memcpy %x\n", sum(b, COUNT));
	fill(a, 13);
	memmove(a + 5000, a, (COUNT - 5000) * sizeof(int));
	printf("memmove %x\n", sum(a, COUNT));
	fill(a, 14);
	printf("memcmp %d\n", memcmp(a, b, COUNT * sizeof(int)) != 0);
	fill(a, 15);
	qsort(a, COUNT, sizeof(int), compare);
	printf("qsort %x\n", sum(a, COUNT));
	fill(b, 16);
	key = b[COUNT - 5];
	fill(b, 16);
	qsort(b, COUNT, sizeof(int), compare);
#pragma omp parallel for
	for (unsigned i = 0; i < COUNT; i++)
		b[i] += 1;
	key++;
	printf("bsearch %d\n", bsearch(&key, b, COUNT, sizeof(int), compare) != NULL);
#pragma omp parallel for
	for (unsigned i = 0; i < COUNT * sizeof(int); i++)
		text[i] = i == COUNT * sizeof(int) - 10 ? 0 : 'a' + (char)(i % 26);
	printf("strlen %zu\n", strlen(text));
	fill(b, 17);
	memset(b, 0x41, COUNT * sizeof(int) - 7);
	printf("memset %x %zu\n", sum(b, COUNT), strspn(text, "A"));
	fill(b, 18);
	snprintf(text, 100000, "%0*d", 90000, 7);
	printf("snprintf %x\n", sum(b, COUNT));
}

/* Each thread copies what another has written. */
static void in_a_region(int *a, int *b)
{
	enum { PARTS = 5, PART = COUNT / PARTS };

	fill(a, 21);
	fill(b, 22);
#pragma omp parallel for schedule(static)
	for (int part = 0; part < PARTS; part++) {
		memcpy(b + part * PART, a + (part + 2) % PARTS * PART, PART * sizeof(int));
		qsort(b + part * PART, PART, sizeof(int), compare);
	}
	printf("in a region %x\n", sum(b, COUNT));
}

int main(void)
{
	int *heap = malloc(COUNT * sizeof(int));

	allocations();
	work_on(still, heap);
	work_on(heap, still);
	in_a_region(still, heap);
	in_a_region(heap, still);
	free(heap);
	return 0;
}

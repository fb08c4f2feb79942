/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qsort.c - qsort and bsearch in sequential code; sorted pieces in a region, merged afterwards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N      1200
#define PIECES 8

struct entry {
	int key;
	char name[12];
};

static struct entry entries[N];
static int comparisons, direction = 1;

static int by_key(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	return (a->key > b->key ? 1 : a->key < b->key ? -1 : 0) * direction;
}

static int counted(const void *left, const void *right)
{
	comparisons++;
	return strcmp(((const struct entry *)left)->name, ((const struct entry *)right)->name);
}

int main(void)
{
	struct entry wanted = {333, ""}, *found;
	long check = 0;

#pragma omp parallel for
	for (int i = 0; i < N; i++) {
		entries[i].key = (i * 7919) % 10007;
		snprintf(entries[i].name, sizeof(entries[i].name), "e%d", entries[i].key);
	}
	qsort(entries, N, sizeof(*entries), counted);
	printf("%s %s %s %s\n", entries[0].name, entries[N / 2].name, entries[N - 1].name,
	       comparisons > N ? "counted" : "not counted");
	direction = -1;
#pragma omp parallel for
	for (int i = 0; i < PIECES; i++)
		qsort(entries + i * (N / PIECES), N / PIECES, sizeof(*entries), by_key);
	for (int i = 0; i < PIECES; i++)
		printf("%d ", entries[i * (N / PIECES)].key);
	putchar('\n');
	direction = 1;
	qsort(entries, N, sizeof(*entries), by_key);
	wanted.key = entries[700].key;
	found = bsearch(&wanted, entries, N, sizeof(*entries), by_key);
	printf("%td\n", found - entries);
#pragma omp parallel for reduction(+ : check)
	for (int i = 1; i < N; i++)
		check += entries[i].key >= entries[i - 1].key;
	printf("%ld\n", check);
	return 0;
}

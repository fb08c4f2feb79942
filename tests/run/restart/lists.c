// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lists.c - structures in the heap: lists that grow in regions, by blocks of any node, and shrink
 * in regions and in sequential code.
 *
 * Usage: lists STEPS [MICROSECONDS [SETS]] (pause.h)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "pause.h"

#define LISTS 24

struct item {
	struct item *next;
	long value;
	char name[40];
};

static struct item *list[LISTS];

static void push(int which, long value)
{
	struct item *item = malloc(sizeof(*item));

	item->value = value;
	snprintf(item->name, sizeof(item->name), "item %ld of %d", value, which);
	item->next = list[which];
	list[which] = item;
}

static long pop(int which)
{
	struct item *item = list[which];
	long value = 0;

	if (item) {
		list[which] = item->next;
		value = item->value;
		free(item);
	}
	return value;
}

static unsigned long sum_of(int which)
{
	unsigned long sum = 5381;

	for (struct item *item = list[which]; item; item = item->next)
		for (const char *at = item->name; *at; at++)
			sum = sum * 33 + (unsigned char)*at + (unsigned long)item->value;
	return sum;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 10;
	char *text = NULL;

	for (int s = 0; s < steps; s++) {
		unsigned long all = 0;

#pragma omp parallel for schedule(static, 1)
		for (int i = 0; i < LISTS; i++) {
			for (int k = 0; k < 5; k++)
				push(i, s * 100 + k);
			for (int k = 0; k < s % 6; k++)
				pop(i);
		}
		for (int i = s % 3; i < LISTS; i += 3)
			pop(i);
		for (int i = 0; i < LISTS; i++)
			all = all * 31 + sum_of(i);
		text = realloc(text, (size_t)(s + 1) * 40);
		text[0] = s ? text[0] : '\0';
		snprintf(text + strlen(text), 40, "%lx ", all);
		printf("step %d: %lx %zu\n", s, all, strlen(text));
		fflush(stdout);
		pause_at(s, argv + 2);
	}
	puts(text);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one thread alone writes goes to and fro, and is published in between more often than others'
 * changes come in: nested locks, tasks, critical sections; by blocks of the heap, too.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 100
#define TASKS  60

static omp_lock_t outer[64], inner[64];
static unsigned char toggled[64];
static int done[TASKS];

static int toggle(int own, int round)
{
	char *block = malloc(24);
	int bad;

	omp_set_lock(&outer[own]);
	bad = toggled[own] != round % 2;
	omp_set_lock(&inner[own]);
	toggled[own] ^= 1;
	omp_unset_lock(&inner[own]);
	free(block);
	toggled[own] ^= 1;
	omp_unset_lock(&outer[own]);
	block = malloc(24);
	toggled[own] ^= 1;
	omp_set_lock(&outer[own]);
	bad |= toggled[own] == round % 2;
	omp_unset_lock(&outer[own]);
	free(block);
	return bad;
}

static void task(int i)
{
	char *text = malloc(24), *grown;

#pragma omp critical(first)
	sprintf(text, "%d", i);
	grown = strdup(text);
	free(text);
#pragma omp critical(second)
	done[i] = atoi(grown) + 1;
	grown = realloc(grown, 200);
	text = calloc(1, 24);
	done[i] += text[0];
	free(grown);
	free(text);
}

int main(void)
{
	int wrong = 0, sum = 0;

	for (int i = 0; i < 64; i++) {
		omp_init_lock(&outer[i]);
		omp_init_lock(&inner[i]);
	}
#pragma omp parallel reduction(| : wrong)
	for (int round = 0; round < ROUNDS; round++)
		wrong |= toggle(omp_get_thread_num(), round);
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i)
		task(i);
	}
	for (int i = 0; i < TASKS; i++)
		sum += done[i];
	printf("%d %d\n", wrong, sum);
	return 0;
}

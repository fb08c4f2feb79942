/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task-list.c - a task for each element of a linked list, made in single, master and by everyone. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

struct element {
	int number;
	long result;
	char letter;
	struct element *next;
};

static int processed;

static void process(struct element *element)
{
	long sum = 0;

	for (int i = 1; i <= element->number; i++)
		sum += (long)i * i;
	element->result += sum;
	element->letter = (char)('a' + element->number % 26);
#pragma omp atomic
	processed++;
}

int main(void)
{
	struct element *list = NULL;
	long total = 0, check = 0;
	int threads = omp_get_max_threads(), made = 0;

	for (int i = 0; i < 60; i++) {
		struct element *element = calloc(1, sizeof(*element));

		element->number = i;
		element->next = list;
		list = element;
	}
#pragma omp parallel
	{
#pragma omp single
		for (struct element *element = list; element; element = element->next) {
#pragma omp task firstprivate(element)
			process(element);
		}
		/* The barrier of single has completed the tasks. */
#pragma omp for reduction(+ : check)
		for (int i = 0; i < 60; i++)
			for (struct element *element = list; element; element = element->next)
				if (element->number == i)
					check += element->result;
#pragma omp master
		for (struct element *element = list; element; element = element->next) {
#pragma omp task
			process(element);
		}
#pragma omp barrier
		/* Everybody makes tasks. */
#pragma omp for schedule(static, 3)
		for (int i = 0; i < 40; i++) {
#pragma omp task
			{
#pragma omp critical
				made += i;
			}
		}
	}
	while (list) {
		struct element *next = list->next;

		total += list->result;
		putchar(list->letter);
		free(list);
		list = next;
	}
	printf(" %ld %ld %d %d\n", check, total, processed, made);
	processed = 0;
	/* One for each thread, and one outside of any region. */
#pragma omp parallel
	{
#pragma omp task shared(processed)
		{
#pragma omp atomic
			processed++;
		}
	}
#pragma omp task
	made++;
#pragma omp taskwait
	printf("%d %d\n", processed == threads, made);
	return 0;
}

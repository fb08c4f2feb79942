/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-told-once.c - an atomic variable that another node fetches while it is changed: what was
 * told of it is not told once more behind others' changes.
 */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

#define PAGES  8
#define WORDS  512 /* of a page */
#define MOMENT 100000

static unsigned long data[PAGES * WORDS] __attribute__((aligned(4096)));
static unsigned long last;
static int turns, wrong;

/* Where the writer's result goes; the variable was changed before. */
static unsigned long *slowly(void)
{
	usleep(2 * MOMENT);
	return &last;
}

/* The writer has the pages alone; the third thread reads them. */
static void hand_out(int writer)
{
#pragma omp parallel num_threads(3)
	{
		int me = omp_get_thread_num();

		if (me == writer)
			for (int i = 0; i < PAGES * WORDS; i++)
				data[i] = 1000;
#pragma omp barrier
		if (me == 2 && data[1] != 1000)
			printf("the third thread reads %lu\n", data[1]);
	}
}

static void add_slowly(void)
{
#pragma omp atomic capture
	{
		data[7] = data[7] + 1;
		*slowly() = data[7];
	}
	usleep(2 * MOMENT);
#pragma omp critical
	{
		turns++;
		usleep(3 * MOMENT);
	}
}

/* Behind the first atomic construct, and within the critical section. */
static void add_twice(int threads)
{
	unsigned long mine;

	usleep(3 * MOMENT);
#pragma omp atomic capture
	{
		data[7] = data[7] + 100;
		mine = data[7];
	}
	usleep(2 * MOMENT);
#pragma omp atomic capture
	{
		data[7] = data[7] + 100;
		mine = data[7];
	}
	if (threads == 3 && mine != 1201)
		printf("the third thread adds to %lu\n", mine);
}

int main(void)
{
	unsigned long expected = 1001;

	hand_out(omp_get_max_threads() > 1);
#pragma omp parallel num_threads(3)
	{
		int me = omp_get_thread_num(), threads = omp_get_num_threads();

		if (me == (threads > 1))
			add_slowly();
		else if (me == 2)
			add_twice(threads);
		else
			usleep(MOMENT);
		if (!me && threads > 1 && data[1] != 1000)
			printf("the first thread reads %lu\n", data[1]);
#pragma omp barrier
#pragma omp single
		expected += threads == 3 ? 200 : 0;
#pragma omp critical
		wrong += data[7] != expected;
	}
	printf("%d wrong\n", wrong);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-put-back.c - values that another node fetches while they are changed, and that are what they
 * were again before the node that changed them tells of anything.
 */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

#define PAGES  16
#define WORDS  512 /* of a page */
#define ROUNDS 3
#define MOMENT 100000

static unsigned long data[PAGES * WORDS] __attribute__((aligned(4096)));
static int turns, wrong;

static unsigned long sum_of(int word)
{
	unsigned long sum = 0;

	for (int i = 0; i < PAGES; i++)
		sum += data[i * WORDS + word];
	return sum;
}

/* The second thread, or the only one. */
static int writer(void)
{
	return omp_get_num_threads() > 1;
}

/* The writer has the pages alone; the third thread, if there is one, reads them. */
static void hand_out(int round)
{
#pragma omp parallel num_threads(3)
	{
		int me = omp_get_thread_num();

		if (me == writer())
			for (int i = 0; i < PAGES * WORDS; i++)
				data[i] = (unsigned long)round;
#pragma omp barrier
		if (me == 2 && sum_of(1) != (unsigned long)(PAGES * round))
			printf("the third thread reads %lu\n", sum_of(1));
	}
}

static void change_for_a_while(void)
{
	for (int i = 0; i < PAGES; i++)
		data[i * WORDS + 7] += 1000;
	usleep(2 * MOMENT);
	/* It takes what others tell, and so looks at what they fetched. */
#pragma omp critical
	{
		turns++;
		for (int i = 0; i < PAGES; i++)
			data[i * WORDS + 7] -= 1000;
	}
}

static void take_turn(void)
{
	usleep(MOMENT);
#pragma omp critical
	turns++;
}

static void read_meanwhile(int round)
{
	usleep(MOMENT);
	if (sum_of(1) != (unsigned long)(PAGES * round))
		printf("the first thread reads %lu\n", sum_of(1));
}

int main(void)
{
	for (int round = 1; round <= ROUNDS; round++) {
		hand_out(round);
#pragma omp parallel num_threads(3)
		{
			int me = omp_get_thread_num();

			if (me == writer())
				change_for_a_while();
			else if (me == 0)
				read_meanwhile(round);
			else
				take_turn();
#pragma omp barrier
#pragma omp critical
			wrong += sum_of(7) != (unsigned long)(PAGES * round);
		}
	}
	printf("%d wrong\n", wrong);
	return 0;
}

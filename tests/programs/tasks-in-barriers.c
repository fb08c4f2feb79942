// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tasks-in-barriers.c - tasks with regions inside them, that threads run while they wait for what a
 * single construct gives to all.
 */
#include <stdio.h>
#include <unistd.h>

static int ran;

static void make(int count)
{
	for (int i = 0; i < count; i++) {
#pragma omp task
		{
#pragma omp parallel num_threads(2)
			{
#pragma omp single
				{
#pragma omp atomic
					ran++;
				}
			}
			usleep(20);
		}
	}
}

static int broadcast(int rounds)
{
	int wrong = 0;

	for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(3)
		{
			int value = -1;

#pragma omp single nowait
			make(10);
#pragma omp single copyprivate(value)
			value = round;
			if (value != round) {
#pragma omp atomic
				wrong++;
			}
		}
	}
	return wrong;
}

int main(void)
{
	int wrong = broadcast(10);

	printf("%d wrong, %d ran\n", wrong, ran);
	return 0;
}

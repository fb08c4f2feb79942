/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task-clauses.c - what a task captures, and if, final, untied, mergeable, taskgroup, taskyield. */
#include <omp.h>
#include <stdio.h>

static int results[40], global, finals[4];

struct piece {
	int low, high;
	char mark[3];
};

int main(void)
{
	int table[8] = {0}, pending = 0, shared_one = 1, order = 0, after_group = -1;
	struct piece piece = {0, 0, "ab"};
	double scale = 0.5;

#pragma omp parallel firstprivate(scale)
	{
		int local = 3;

#pragma omp single
		{
			for (int i = 0; i < 8; i++) {
				int twice = 2 * i;

				piece.low = i;
				/* i, twice, local, scale: as they are now. */
#pragma omp task firstprivate(piece)
				table[i] = piece.low * 100 + twice + local + (int)(scale * i) +
					   piece.mark[1] - 'b';
				local++;
			}
#pragma omp taskwait
			/* A private variable of the task has no value yet. */
#pragma omp task private(pending) shared(shared_one) default(none)
			{
				pending = 7;
				shared_one += pending;
			}
#pragma omp taskwait
#pragma omp task if (0)
			results[0] = ++order;
			results[1] = ++order;
#pragma omp taskgroup
			{
				for (int i = 0; i < 5; i++) {
#pragma omp task untied
					{
#pragma omp task mergeable
						{
#pragma omp atomic
							global += i;
						}
#pragma omp taskyield
#pragma omp atomic
						global += 100;
					}
				}
			}
			/* The descendants are done, too. */
			after_group = global;
#pragma omp task final(1)
			{
				finals[0] = omp_in_final();
#pragma omp task
				finals[1] = omp_in_final();
				finals[2] = finals[1];
			}
#pragma omp task final(0)
			finals[3] = omp_in_final();
		}
#pragma omp for
		for (int i = 10; i < 40; i++) {
#pragma omp task
			results[i] = i * i;
		}
#pragma omp sections
		{
#pragma omp section
			{
#pragma omp task
				results[2] = 22;
			}
#pragma omp section
			{
#pragma omp task shared(results)
				results[3] = 33;
#pragma omp taskwait
				results[4] = results[3] + 11;
			}
		}
	}
	for (int i = 0; i < 8; i++)
		printf("%d ", table[i]);
	printf("\n%d %d %d %d %d %d\n", shared_one, results[0], results[1], results[2], results[3],
	       results[4]);
	printf("%d %d %d %d %d %d\n", after_group, global, finals[0], finals[1], finals[2],
	       finals[3]);
	for (int i = 10; i < 40; i++)
		printf("%d ", results[i]);
	putchar('\n');
	return 0;
}

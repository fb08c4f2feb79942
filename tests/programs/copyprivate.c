/* SPDX-License-Identifier: GPL-2.0-or-later */
/* copyprivate.c - one thread's private values reach all: scalars, arrays, structures, pointers. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
	char text[20];
	double number;
	int *where;
};

static int target = 30, mine;
#pragma omp threadprivate(mine)
static int sums[64];

static void broadcast(int round)
{
	int value;
	int list[4];
	struct message message;
	double *memory;

#pragma omp parallel private(value, list, message, memory)
	{
#pragma omp single copyprivate(value, list, message, memory, mine)
		{
			value = 100 + round;
			for (int i = 0; i < 4; i++)
				list[i] = i * value;
			strcpy(message.text, "from one to all");
			message.number = 2.5 * round;
			message.where = &target;
			memory = calloc(3, sizeof(double));
			memory[1] = round / 4.0;
			mine = value + 1;
		}
		sums[omp_get_thread_num()] = value + list[3] + *message.where +
					     (int)message.number + (int)strlen(message.text) +
					     (int)(memory[1] * 4) + mine;
#pragma omp barrier
#pragma omp single
		free(memory);
	}
}

int main(void)
{
	for (int round = 1; round <= 3; round++) {
		broadcast(round);
		for (int i = 0; i < omp_get_max_threads(); i++)
			printf("%d ", sums[i]);
		putchar('\n');
		target += round;
	}
	return 0;
}

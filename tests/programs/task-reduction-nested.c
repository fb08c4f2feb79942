/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task-reduction-nested.c - in_reduction inside in_reduction: omp_orig stays the original. */
#include <stdio.h>

struct product {
	long value;
	int original;
};

static struct product all = {1, 1};
static int wrong;

static void begin(struct product *own, const struct product *original)
{
	*own = (struct product){1, 0};
	if (!original->original)
#pragma omp atomic
		wrong++;
}

#pragma omp declare reduction(* : struct product : omp_out.value *= omp_in.value)                  \
	initializer(begin(&omp_priv, &omp_orig))

static void multiply(int depth)
{
#pragma omp task in_reduction(* : all)
	{
		all.value *= 2;
		if (depth > 0)
			multiply(depth - 1);
	}
}

int main(void)
{
	struct product own = {1, 1};

#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(* : all, own)
	for (int i = 0; i < 4; i++) {
#pragma omp task in_reduction(* : all, own)
		{
			all.value *= 3;
#pragma omp task in_reduction(* : all, own)
			{
				own.value *= 5;
#pragma omp task in_reduction(* : own)
				own.value *= 7;
				multiply(2);
			}
		}
	}
	printf("%ld %ld, %d wrong\n", all.value, own.value, wrong);
	return 0;
}

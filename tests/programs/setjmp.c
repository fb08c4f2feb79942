/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setjmp.c - longjmp out of functions that ran regions, back to where none is. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;
static int numbers[32];

static void work(int value)
{
#pragma omp parallel for
	for (int i = 0; i < 32; i++)
		numbers[i] += value * i;
}

static void jump(int depth, int last)
{
	int local[4] = {0};

#pragma omp parallel for
	for (int i = 0; i < 4; i++)
		local[i] = depth;
	work(local[3]);
	if (depth == last)
		longjmp(back, depth);
	if (depth < last)
		jump(depth + 1, last);
}

int main(void)
{
	volatile int jumps = 0;

	if (setjmp(back) < 6) {
		jumps++;
		jump(0, jumps + 3);
	}
	printf("%d %d\n", jumps, numbers[31]);
	return 0;
}

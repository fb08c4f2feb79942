/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-owner.c - a page to which two nodes write the same bytes is to become common, and gets
 * another owner before it does, the one who has written most of it.
 */
#include <stdio.h>

#define COUNT 1416
#define FEW   16

/* The last page of the values is that of the others, too. */
static struct {
	double value[COUNT];
	int most[FEW];
} shared __attribute__((aligned(4096)));

int main(void)
{
	double sum = 0;

	for (int round = 0; round < 3; round++) {
#pragma omp parallel for
		for (int i = 0; i < COUNT; i++)
			shared.value[i] = i + round;
#pragma omp parallel
		{
			int own[FEW] = {0};

			for (int k = 0; k < FEW; k++)
				if (own[k] > shared.most[k])
					shared.most[k] = own[k];
		}
	}
	for (int i = 0; i < COUNT; i++)
		sum += shared.value[i];
	printf("%g %d\n", sum, shared.most[3]);
	return 0;
}

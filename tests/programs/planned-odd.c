// SPDX-License-Identifier: GPL-2.0-or-later
/* The same bytes, but for an odd one, are written by one thread and then by the other. */
#include <stdio.h>

static unsigned char bytes[8192] __attribute__((aligned(4096)));
static unsigned read_at_end[2000] __attribute__((aligned(4096)));

static void write_some(int first, int second, int value)
{
#pragma omp for schedule(static, 1)
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < first + i * (second - first); j++)
			bytes[101 + j] = value + j;
}

int main(void)
{
	unsigned sum = 0;

#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < 8192; i++)
			bytes[i] = i;
		write_some(1, 0, 50);
		write_some(1, 0, 60);
		write_some(1, 0, 70);
		write_some(0, 2, 80);
#pragma omp for
		for (int i = 0; i < 2000; i++)
			read_at_end[i] = bytes[101] + 256 * bytes[102];
	}
	for (int i = 0; i < 2000; i++)
		sum = sum * 31 + read_at_end[i];
	printf("%u\n", sum);
	return 0;
}

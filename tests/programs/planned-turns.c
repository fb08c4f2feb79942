// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages that two threads write in turn, while a third one is in between: it reads them at the end.
 */
#include <stdio.h>

#define PAGE   1024
#define LENGTH (12 * PAGE)

static unsigned turned[LENGTH] __attribute__((aligned(4096)));
static unsigned read_at_end[LENGTH] __attribute__((aligned(4096)));

int main(void)
{
	unsigned sum = 0;

#pragma omp parallel
	{
		for (unsigned round = 0; round < 3; round++) {
#pragma omp for
			for (int i = 0; i < LENGTH; i++)
				turned[LENGTH - 1 - i] = 3u * i + round;
			if (round == 2)
				break;
#pragma omp for
			for (int i = 0; i < LENGTH; i++)
				turned[i] = i + round * 7u;
		}
#pragma omp for
		for (int i = 0; i < LENGTH; i++)
			read_at_end[i] = turned[(i + 8 * PAGE) % LENGTH];
	}
	for (int i = 0; i < LENGTH; i++)
		sum = sum * 31 + read_at_end[i];
	printf("%u\n", sum);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds values in rounds: each has an atomic update for itself. */
#include <stdio.h>

static int found[4000], value[4000];

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 4000; i++)
		value[i] = i * 7 % 61;
	for (int round = 0; round < 600; round++) {
		int count = 0;

#pragma omp parallel for
		for (int i = 0; i < 4000; i++) /* marked */
			if (value[i] == round % 61) {
				int at;

#pragma omp atomic capture
				at = count++;
				found[at] = i;
			}
		for (int i = 0; i < count; i++)
			sum += found[i];
	}
	printf("%ld\n", sum);
	return 0;
}

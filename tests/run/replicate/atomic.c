// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds values in rounds: each has an atomic update for itself. */
#include <stdio.h>

static int found[4000], value[4000];

int main(void)
{
	long sum = 0;
	int count = 0;

	for (int i = 0; i < 4000; i++)
		value[i] = i * 7 % 61;
	for (int round = 0; round < 60; round++) {
#pragma omp parallel for
		for (int i = 0; i < 4000; i++) /* marked */
			if (value[i] == round) {
				int at;

#pragma omp atomic capture
				at = count++;
				found[at] = i;
			}
	}
	for (int i = 0; i < count; i++)
		sum += found[i];
	printf("%ld\n", sum);
	return 0;
}

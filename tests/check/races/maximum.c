/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maximum.c - a double of which both words, or only the higher one, change. */
#include <stdio.h>

int main(void)
{
	double most = 0;

#pragma omp parallel for
	for (int i = 0; i < 100; i++)
		if (i > most)
			most = i;
	printf("%g\n", most);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stdin-scanf.c - numbers read by scanf, worked on in a region, some more read behind it. */
#include <stdio.h>

int main(void)
{
	int n, values[100], sum = 0, more = 0;
	char word[20];
	double factor;

	if (scanf("%d", &n) != 1 || n > 100)
		return 1;
	for (int i = 0; i < n; i++)
		if (scanf("%d", &values[i]) != 1)
			return 2;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < n; i++) {
		values[i] *= values[i];
		sum += values[i];
	}
	printf("%d numbers, sum of squares %d\n", n, sum);
	if (scanf("%19s %lf", word, &factor) != 2)
		return 3;
	if (scanf("%d", &more) != 1)
		return 4;
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		values[i] = (int)(values[i] * factor) + more;
	printf("%s %g %d %d %d\n", word, factor, more, values[0], values[n - 1]);
	printf("%d ", scanf("%d", &more));
	printf("%d\n", feof(stdin) != 0);
	return 0;
}

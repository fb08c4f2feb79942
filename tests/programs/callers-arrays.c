/* SPDX-License-Identifier: GPL-2.0-or-later */
/* callers-arrays.c - local arrays of callers, near and far, changed in a region through pointers.
 */
#include <stdio.h>
#include <string.h>

struct state {
	double *values;
	int *counts;
	char *text;
};

static void change(struct state *state, int n)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < n; i++) {
			state->values[i] += i;
			state->counts[i % n]++;
		}
#pragma omp single
		state->text[0]++;
#pragma omp sections
		{
#pragma omp section
			state->text[1] = '+';
#pragma omp section
			state->text[2] = '-';
		}
	}
}

static double middle(int n, int *counts, char *text)
{
	double values[n], sum = 0;
	struct state state = {values, counts, text};

	memset(values, 0, sizeof(values));
	for (int i = 0; i < 3; i++) {
		values[i] *= 2;
		change(&state, n);
	}
	for (int i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

static double outer(int depth, int *counts, char *text)
{
	int own[30] = {0};
	char label[8] = "a..";
	double result;

	if (depth)
		result = outer(depth - 1, own, label);
	else
		result = middle(30, own, label);
	for (int i = 0; i < 30; i++)
		counts[i] += own[i] * 2 + depth;
	text[0] = label[0];
	text[3] = label[1];
	text[4] = label[2];
	return result + counts[7];
}

int main(void)
{
	int counts[30] = {0}, first[30] = {0};
	char text[8] = "m..xyz";

	printf("%.1f\n", outer(5, counts, text));
	printf("%.1f\n", middle(10, first, text));
	for (int i = 0; i < 30; i++)
		printf("%d.%d ", counts[i], first[i]);
	printf("%s\n", text);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scopes.c - one name in many scopes: globals, parameters, locals, clauses, loops, members. */
#include <stdio.h>

struct x {
	int x, y;
};

static int x = 100, y = 200, i = 77;
static int out[40];

static int shadow(int x)
{
	struct x point = {x, y};

#pragma omp parallel for firstprivate(x, point)
	for (int i = 0; i < 10; i++) {
		int y = point.y + i;

		{
			int x = y * 2;

			out[i] = x + point.x;
		}
	}
	return out[9] + x;
}

static int use_global(void)
{
#pragma omp parallel private(x)
	{
		x = 3;
#pragma omp single
		{
			extern int scopes_external;
			int x = 4;

			out[20] = x;
			scopes_external += x;
		}
#pragma omp for
		for (i = 0; i < 5; i++)
			out[21 + i] = x + i;
	}
	return x;
}

int scopes_external = 5;

int main(void)
{
	int out_sum = 0, y = 1;

	printf("%d\n", shadow(6));
	printf("%d %d\n", use_global(), i);
	{
		int x = 1, out[3] = {1, 2, 3};

#pragma omp parallel for reduction(+ : x)
		for (int y = 0; y < 3; y++) {
			out[y] *= 2;
			x += out[y];
		}
		printf("%d %d\n", x, out[2]);
	}
#pragma omp parallel for reduction(+ : out_sum) lastprivate(y)
	for (int k = 0; k < 40; k++) {
		typeof(k) twice = k * 2;

		y = twice;
		out_sum += out[k];
	}
	printf("%d %d %d %d\n", out_sum, x, y, scopes_external);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks whose values are no more where they were made; no other call of tasks is made. */
#include <stdio.h>
#include <omp.h>
static void make(int n, int *out)
{
	int local[4] = {n, n + 1, n + 2, n + 3};
	int vla[n];
	const int fixed[2] = {n, 2 * n};
	for (int i = 0; i < n; i++)
		vla[i] = i;
#pragma omp task firstprivate(vla)
	{
		int s = 0;
		for (int i = 0; i < n; i++)
			s += vla[i];
#pragma omp atomic
		*out += s + local[3] + fixed[1];
	}
}
int main(void)
{
	int out = 0, want = 0;
#pragma omp parallel
#pragma omp single
	for (int k = 1; k < 200; k++)
		make(k, &out);
	for (int k = 1; k < 200; k++)
		want += k * (k - 1) / 2 + k + 3 + 2 * k;
	printf("%d %d\n", out, want);
	return out != want;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* refused_loop.c - loops that cape-cc refuses. */
void f(int *a, int n);

void f(int *a, int n)
{
#pragma omp parallel for collapse(2)
	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++) /* collapse of loops that are not rectangular */
			a[i] += j;
}

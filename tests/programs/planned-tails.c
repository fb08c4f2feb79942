// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages that begin with the end of what known loops write, and of which static variables are read
 * after that: only these come.
 */
#include <stdio.h>
static int before[2000], list[3694], after[3000], total;
static void unknown(int n)
{
#pragma omp for schedule(dynamic)
	for (int i = 0; i < n; i++)
		;
}
int main(void)
{
	for (int r = 0; r < 2; r++) {
#pragma omp parallel
		{
			int own = 0;

			for (int k = 0; k < 4; k++) {
#pragma omp barrier
				unknown(k);
#pragma omp for schedule(static, 1) reduction(+ : total)
				for (int i = 0; i < 3690; i++) {
					list[i] = i * 10 + before[i % 900] + k;
					total += k;
				}
			}
			own += after[r];
		}
	}
	for (int i = 0; i < 3690; i++)
		if (list[i] != i * 10 + 3)
			printf("%d: %d\n", i, list[i]);
	for (int i = 0; i < 3000; i++)
		after[i] = before[i % 2000] = total;
	printf("%d\n", after[9]);
	return 0;
}

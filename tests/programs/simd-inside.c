/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simd inside of regions, whose loop variables and lastprivate ones are declared outside of them:
 * each thread has its own while the loop runs, and the last value stays; that of distribute, which
 * is private, does not. */
#include <omp.h>
#include <stdio.h>

static int a[64][4000], everywhere;

static int count_wrong(int add)
{
	int wrong = 0;

	for (int i = 0; i < 64; i++)
		for (int j = 0; j < 4000; j++)
			wrong += a[i][j] != i + j + add;
	return wrong;
}

static void orphan(int row)
{
	int j;

#pragma omp simd
	for (everywhere = 0; everywhere < 2000; everywhere++)
		a[row][everywhere] = row + everywhere + 4;
#pragma omp simd
	for (j = 2000; j < 4000; j++)
		a[row][j] = row + j + 4;
}

int main(void)
{
	int i, j = -1, k = -1, n = -1, t, last = -1, sum = 0;

#pragma omp parallel for
	for (i = 0; i < 64; i++)
#pragma omp simd
		for (j = 0; j < 4000; j++)
			a[i][j] = i + j;
	printf("%d %d\n", count_wrong(0), j);

#pragma omp parallel for
	for (i = 0; i < 64; i++)
#pragma omp loop bind(thread)
		for (j = 0; j < 4000; j++)
			a[i][j] = i + j + 1;
	printf("%d %d\n", count_wrong(1), j);

#pragma omp parallel for
	for (i = 0; i < 64; i++)
#pragma omp simd private(t) lastprivate(last)
		for (j = 0; j < 4000; j++) {
			t = i + j;
			last = j;
			a[i][j] = t + 2;
		}
	printf("%d %d %d\n", count_wrong(2), j, last);

#pragma omp parallel
	{
#pragma omp for
		for (i = 0; i < 64; i++)
#pragma omp simd collapse(2)
			for (j = 0; j < 40; j++)
				for (k = 0; k < 100; k++)
					a[i][j * 100 + k] = i + j * 100 + k + 3;
	}
	printf("%d %d %d\n", count_wrong(3), j, k);

#pragma omp parallel for
	for (i = 0; i < 64; i++)
		orphan(i);
	printf("%d %d\n", count_wrong(4), everywhere);

#pragma omp parallel for private(j) reduction(+ : sum)
	for (i = 0; i < 64; i++) {
#pragma omp simd reduction(+ : sum)
		for (j = 0; j < 4000; j++)
			sum += a[i][j] & 1;
	}
#pragma omp simd
	for (n = 0; n < 10; n++)
		sum++;
	printf("%d %d\n", sum, n);

	j = k = n = -1;
#pragma omp target teams distribute map(tofrom : a)
	for (j = 0; j < 4000; j++)
		a[0][j]++;
#pragma omp teams
#pragma omp distribute
	for (k = 0; k < 4000; k++)
		a[1][k]++;
#pragma omp teams distribute simd
	for (n = 0; n < 4000; n++)
		a[2][n]++;
	printf("%d %d %d %d\n", j, k, n, a[0][7] + a[1][8] + a[2][9]);
	return 0;
}

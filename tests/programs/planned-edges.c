/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops that do something else at the edges of a field: elements that are chosen by conditions,
 * conditions with several parts, and such that hold for one value, for all but one, or for none.
 */
#include <stdio.h>

#define N 90
#define M 70

static int a[N][M], b[N][M], c[N], hot = 13, none = -5;
static unsigned u[N];
static long sum;

static void step(int k)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < N; i++)
			for (int j = 0; j < M; j++) {
				int up = i == 0 ? N - 1 : i - 1, down = i < N - 1 ? i + 1 : 0;
				int left = j != 0 ? j - 1 : M - 1;

				b[i][j] = a[up][j] + a[down][left] + a[i][j + 1 == M ? 0 : j + 1];
			}
#pragma omp for
		for (int i = 0; i < N; i++)
			for (int j = 0; j < M; j++) {
				if (i == 0 || i == N - 1 || j == 0 || j == M - 1)
					a[i][j] = b[N - 1 - i][j] & 1023;
				else if (!(i == hot) && j != k % M)
					a[i][j] = (b[i - 1][j] + b[i + 1][j]) & 1023;
				if (i > 3 && (j < 5 || j > k))
					a[i][j]++;
			}
#pragma omp for schedule(static, 4)
		for (int i = N - 1; i >= 0; i -= 3) {
			if (i == k || i == none)
				c[i] += 100;
			if (i != k)
				c[i] += i;
			if (!(i - 2 < k && 2 * i + 1 > hot))
				c[i] ^= a[i][3];
			if (k + 3 <= -i + 60)
				c[i] += a[0][i % M];
		}
#pragma omp for
		for (unsigned i = 0; i < N; i++) {
			/* It wraps around. */
			if (i - 1 < (unsigned)k)
				u[i] += i;
			if ((signed char)(i * 3) > k)
				u[i]++;
			if (i == (unsigned)k || i == 3u)
				u[i] += c[i];
		}
#pragma omp for collapse(2)
		for (int i = 0; i < 30; i++)
			for (int j = 0; j < 20; j++)
				if (i == j || (i > k % 30 && j != 7))
					a[i + (i ? 1 : 50)][j > k % 20 ? j + 20 : j] += b[j][i];
	}
}

int main(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < M; j++)
			a[i][j] = i * 7 + j;
	for (int k = 0; k < 100; k += 9)
		step(k);
	for (int i = 0; i < N; i++) {
		sum = (sum * 31 + c[i] + 7 * (int)u[i]) % 1000003;
		for (int j = 0; j < M; j++)
			sum = (sum * 3 + a[i][j] + b[i][j]) % 1000003;
	}
	printf("%ld\n", sum);
	return 0;
}

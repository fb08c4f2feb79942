/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions that hold for the first or for the last values of a loop's variable, of all forms,
 * and such that do not; in loops that count up or down, in chunks or not, with and without rounds
 * for which they hold.
 */
#include <stdio.h>

#define N 600

static int a[N][8], b[N], c[N];
static unsigned u[N];
static long sum;

static void step(int k)
{
#pragma omp parallel
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < N; i++)
			if (i > k)
				b[i] += a[k][1] + i;
#pragma omp for
		for (int i = N - 1; i >= 0; i -= 3) {
			if (k * 2 >= i)
				c[i] = b[i] - k;
			else
				c[i] += b[N - 1 - i];
		}
#pragma omp for schedule(static, 7)
		for (unsigned i = 1; i < N; i += 2)
			if (i <= (unsigned)k)
				u[i] = u[i - 1] + i;
#pragma omp for
		for (int i = 0; i < N; i++)
			for (int j = 0; j < 8; j++) {
				if (j < k % 9)
					a[i][j] += c[i] & 3;
				if (i < k)
					if (j >= 6)
						a[i][j] ^= j;
			}
			/* Signed and unsigned values do not compare in order. */
#pragma omp for
		for (int i = -3; i < N - 3; i++)
			if (i < (unsigned)k)
				b[i + 3] -= c[i + 3];
#pragma omp for nowait
		for (int i = 0; i < N; i++)
			if (i < k) {
				c[i] = a[i][0];
				if (i > k / 2)
					c[i] += a[i][7] + b[i];
			}
	}
}

int main(void)
{
	for (int k = 0; k < N + 9; k += 9)
		step(k < N ? k : N - 1);
	for (int i = 0; i < N; i++) {
		sum = (sum * 31 + b[i] + 7 * c[i] + 5 * (int)u[i]) % 1000003;
		for (int j = 0; j < 8; j++)
			sum = (sum * 3 + a[i][j]) % 1000003;
	}
	printf("%ld\n", sum);
	return 0;
}

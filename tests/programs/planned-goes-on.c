/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-goes-on.c - iterations that end early, by continue or where a function returns, under
 * conditions that are known before the loop runs and such that are not.
 */
#include <stdio.h>
#define N 2000
static int a[N][8], b[N], c[N];
static int leaf(int i, int k)
{
	if (i < k)
		return 1;
	c[i] += k;
	if (i & 1)
		return 2;
	c[i] ^= 5;
	return 3;
}
static void put(int *p, int k)
{
	if (k > 40)
		return;
	p[0] += k;
	for (int j = 1; j < 4; j++) {
		if (j == k)
			continue;
		p[j] += j;
		if (k == 7)
			return;
		p[j]--;
	}
	p[5] = k;
}
int main(void)
{
	long sum = 0;
	for (int i = 0; i < N; i++) {
		b[i] = i * 7 % 100;
		for (int j = 0; j < 8; j++)
			a[i][j] = i ^ j;
	}
	for (int k = 0; k < 60; k++) {
#pragma omp parallel
		{
#pragma omp for
			for (int i = 0; i < N; i++) {
				if (i == k)
					continue;
				a[i][1] += a[k][2];
				if (b[i] < 10) {
					a[i][3]++;
					continue;
				} else
					a[i][4]--;
				for (int j = 5; j < 8; j++) {
					if (j == 6) {
						if (k & 1)
							continue;
						a[i][j] ^= 1;
						continue;
					}
					a[i][j] += k;
				}
				if (i > k)
					a[i][3] += b[i];
				else
					continue;
				{
					if (i % 3)
						continue;
					a[i][7] = k;
				}
				a[i][6] += 2;
			}
#pragma omp for schedule(static, 7)
			for (int i = 0; i < N; i++) {
				b[i] += leaf(i, k);
				put(a[i], k);
			}
		}
	}
	for (int i = 0; i < N; i++) {
		sum = (sum * 31 + b[i] + c[i]) % 1000003;
		for (int j = 0; j < 8; j++)
			sum = (sum * 3 + a[i][j]) % 1000003;
	}
	printf("%ld\n", sum);
}

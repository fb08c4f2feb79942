/* SPDX-License-Identifier: GPL-2.0-or-later */
/* long-double.c - long double, __int128, _Complex and wide characters in shared memory. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

static long double values[30];
static double complex plane[30];
static unsigned __int128 wide[20];
static wchar_t letters[21];

int main(void)
{
	long double product = 1, local[5] = {0};
	int places = 0;

#pragma omp parallel
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 30; i++) {
			values[i] = sqrtl(i) + 1.0L / (i + 1);
			plane[i] = cexp(i * I) * i;
		}
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 20; i++) {
			wide[i] = (unsigned __int128)1 << (i * 6) | (unsigned int)i;
			letters[i] = L'a' + i;
		}
#pragma omp for reduction(* : product)
		for (int i = 0; i < 10; i++)
			product *= i % 2 ? 0.5L : 3;
#pragma omp for
		for (int i = 0; i < 5; i++)
			local[i] = values[i * 6] * 2;
	}
	for (int i = 0; i < 30; i += 7)
		printf("%.18Lg %.12f%+.12f\n", values[i], creal(plane[i]), cimag(plane[i]));
	for (int i = 0; i < 20; i += 6)
		printf("%016lx%016lx ", (unsigned long)(wide[i] >> 64), (unsigned long)wide[i]);
	for (int i = 0; letters[i]; i++)
		places += (int)letters[i] * i;
	printf("\n%zu %d %.10Lg %.15Lg\n", wcslen(letters), places, product, local[4]);
	return 0;
}

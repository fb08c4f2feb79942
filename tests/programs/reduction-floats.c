/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reduction-floats.c - float, double, long double; the sums are exact in any order. */
#include <math.h>
#include <stdio.h>

int main(void)
{
	float fsum = 0.5F, fproduct = 1, flow = 1e30F, fhigh = -1e30F;
	double sum = -1, minus = 1000, product = 3, low = 5, high = 5;
	long double wide = 0.25L, wide_product = 1, wide_low = 0, wide_high = 0;
	int all = 1, any = 0;

#pragma omp parallel for reduction(+ : fsum, sum, wide) reduction(- : minus)                       \
	reduction(* : fproduct, product, wide_product) reduction(min : flow, low, wide_low)        \
	reduction(max : fhigh, high, wide_high) reduction(&& : all) reduction(|| : any)
	for (int i = 1; i <= 200; i++) {
		double value = ((i * 37) % 101 - 50) / 8.0;

		fsum += (float)value;
		sum += value;
		wide += value;
		minus -= i;
		fproduct *= i % 40 == 0 ? 2 : 1;
		product *= i % 50 == 0 ? -0.5 : 1;
		wide_product *= i % 2 ? 4.0L : 0.25L;
		flow = fminf(flow, (float)value);
		fhigh = fmaxf(fhigh, (float)value);
		low = value < low ? value : low;
		high = value > high ? value : high;
		if (value < wide_low)
			wide_low = value;
		if (value > wide_high)
			wide_high = value;
		all = all && value < 7;
		any = any || value == -6.25;
	}
	printf("%a %a %a %a\n", fsum, fproduct, flow, fhigh);
	printf("%a %a %a %a %a\n", sum, minus, product, low, high);
	printf("%La %La %La %La\n", wide, wide_product, wide_low, wide_high);
	printf("%d %d\n", all, any);

	/* Inexact: what is left of the order does not show in few digits. */
	sum = 0;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 1; i <= 100000; i++)
		sum += 1.0 / i / i;
	printf("%.9f\n", sum);

	/* Infinities, which min and max have to start from. */
	low = INFINITY;
	high = -INFINITY;
#pragma omp parallel for reduction(min : low) reduction(max : high)
	for (int i = 0; i < 3; i++) {
		low = low < i * 1e300 ? low : i * 1e300 + 1e299;
		high = high > -i * 1e300 ? high : -i * 1e300 - 1e299;
	}
	printf("%g %g\n", low, high);
	return 0;
}

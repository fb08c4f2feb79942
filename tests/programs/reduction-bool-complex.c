/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reduction-bool-complex.c - _Bool with all its operators, complex numbers of three widths. */
#include <complex.h>
#include <stdbool.h>
#include <stdio.h>

/* Without the sign of a zero, which depends on the order. */
static void show(double complex value)
{
	printf("%.2f%+.2fi\n", creal(value) + 0.0, cimag(value) + 0.0);
}

int main(void)
{
	bool all = true, any = false, none = true, odd = false, both = true, either = false;
	float complex small = 1 + 2 * I, small_product = 1;
	double complex sum = 0, minus = 10 - 3 * I, product = 1;
	long double complex wide = I;

#pragma omp parallel for reduction(&& : all, none) reduction(|| : any) reduction(^ : odd)          \
	reduction(& : both) reduction(| : either)
	for (int i = 0; i < 51; i++) {
		all = all && i < 51;
		none = none && i != 17;
		any = any || i == 44;
		odd ^= i % 3 == 1;
		both &= i != 50;
		either |= i == 3;
	}
	printf("%d %d %d %d %d %d\n", all, none, any, odd, both, either);
#pragma omp parallel for reduction(+ : small, sum, wide) reduction(- : minus)                      \
	reduction(* : small_product, product)
	for (int i = 0; i < 64; i++) {
		sum += i + (i % 5) * I;
		small += 0.5F * I - i;
		wide += i * 0.25L + i * I;
		minus -= 1 + I;
		product *= i % 21 == 20 ? 1 + I : 1;
		small_product *= i % 16 ? 1 : I;
	}
	show(sum);
	show(small);
	show((double complex)wide);
	show(minus);
	show(product);
	show(small_product);
	return 0;
}

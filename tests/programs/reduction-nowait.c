/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reduction-nowait.c - reductions of loops without a barrier, beside dynamic schedules and criticals. */
#include <stdio.h>

#define N 400

static int values[N];
static unsigned bits;

int main(void)
{
	int sum = 5, largest = -1, count = 0, last = 0;
	long product = 1;
	double exact = 0;

	for (int i = 0; i < N; i++)
		values[i] = i * 37 % 211;
#pragma omp parallel
	{
#pragma omp for reduction(+ : sum) nowait schedule(dynamic, 3)
		for (int i = 0; i < N; i++)
			sum += values[i];
#pragma omp for reduction(max : largest) nowait schedule(guided)
		for (int i = 0; i < N; i++)
			largest = values[i] > largest ? values[i] : largest;
#pragma omp critical
		count++;
#pragma omp for reduction(| : bits) reduction(+ : exact) nowait schedule(static, 1)
		for (int i = 0; i < N; i++) {
			bits |= 1U << values[i] % 32;
			exact += values[i] * 0.25;
		}
#pragma omp barrier
#pragma omp for reduction(* : product) lastprivate(last) schedule(dynamic)
		for (int i = 1; i <= 12; i++) {
			product *= i;
			last = i + (int)exact;
		}
#pragma omp sections reduction(+ : sum)
		{
#pragma omp section
			sum += 1000;
#pragma omp section
			sum += last;
#pragma omp section
			sum += 1;
		}
	}
	printf("%d %d %#x %.2f %ld %d %d\n", sum, largest, bits, exact, product, last, count > 0);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-backwards.c - loops that count down between loops that count up: threads have the same
 * elements in both, whatever the numbers of iterations are, and where threads show the first one
 * has the last elements.
 */
#include <omp.h>
#include <stdio.h>

enum { MOST = 5003, SIZES = 7, ROUNDS = 6, OWN = 90 };

static const int size[SIZES] = {0, 1, 2, 3, 17, 900, MOST};
static double a[MOST + 2], b[MOST + 2], c[MOST + 2];
static int who[MOST + 2];

static void sweep(int n)
{
#pragma omp for
	for (int i = 1; i <= n; i++)
		b[i] = a[i] * 0.5 + a[i - 1] * 0.25;
#pragma omp for
	for (int i = n; i >= 1; i--)
		a[i] = b[i] + b[i + 1] * 0.125;
}

/* How many elements a lower thread has than the one before. */
static int wrong_threads(int n)
{
	int wrong = 0;

#pragma omp parallel for
	for (int i = n; i >= 1; i--)
		who[i] = omp_get_thread_num();
	for (int i = 1; i < n; i++)
		wrong += who[i] < who[i + 1];
	return wrong;
}

/* A thread reads what it has written itself: of both loops it has the same iterations. */
static void go_through(int *own)
{
#pragma omp for schedule(static)
	for (int i = 0; i < OWN; i++)
		own[i] = i + 1;
#pragma omp for schedule(static)
	for (int i = OWN - 1; i >= 0; i--)
		who[i] = own[OWN - 1 - i];
}

static void go_through_own(void)
{
	int own[OWN] = {0};

	go_through(own);
}

/* How many elements have something else. */
static int wrong_own(void)
{
	int wrong = 0;

#pragma omp parallel
	go_through_own();
	for (int i = 0; i < OWN; i++)
		wrong += who[i] != OWN - i;
	return wrong;
}

static double one(int n)
{
	double sum = 0, last = -1;
	long count = 0;

#pragma omp parallel
	for (int round = 0; round < ROUNDS; round++)
		sweep(n);
#pragma omp parallel for reduction(+ : count) lastprivate(last)
	for (int i = n; i > 0; i -= 2) {
		c[i] = a[i] + i;
		last = c[i];
		count += i;
	}
#pragma omp parallel for reduction(+ : sum)
	for (int i = n; i >= 0; i--)
		sum += (double)(long)(a[i] * 4);
	return sum + (double)count + (n ? last : 0);
}

int main(void)
{
	int wrong = 0;

	for (int s = 0; s < SIZES; s++) {
		double result;

		for (int i = 0; i < MOST + 2; i++) {
			a[i] = i % 17 + 1;
			b[i] = c[i] = 0;
		}
		result = one(size[s]);
		printf("%d: %.6f %.6f %.6f\n", size[s], result, a[size[s]], c[(size[s] + 1) / 2]);
		wrong += wrong_threads(size[s]);
	}
	printf("%d elements are with a wrong thread\n", wrong);
	printf("%d are not what a thread had\n", wrong_own());
	return 0;
}

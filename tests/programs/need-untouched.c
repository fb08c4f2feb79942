/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-untouched.c - regions with little between them, and then sequential code that reads and
 * writes what each node has a part of, in every way.
 */
#include <omp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define N 20000

static double a[N], b[N];
static double *view = a;
static int handled;
static jmp_buf back;

static void fill(double *x, double value)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		x[i] = value + i;
}

/* A scalar, a swap, a loop: nothing is touched before the result is read. */
static double smooth(double *from, double *to, int steps)
{
	double scale = 1;
	long sum = 0;

	for (int step = 0; step < steps; step++) {
		double *last = from;

#pragma omp parallel for reduction(+ : sum)
		for (int i = 1; i < N - 1; i++) {
			to[i] = scale * (from[i - 1] + from[i + 1]) / 2;
			sum += (long)to[i];
		}
		scale = scale * 0.5 + 0.25;
#pragma omp parallel for
		for (int i = 1; i < N - 1; i++)
			to[i] += scale;
		from = to;
		to = last;
		if (scale < 0.5001)
			break;
	}
	return (double)sum + from[N / 3] + to[2 * N / 3];
}

static void *touch_in_call(void)
{
	a[N / 4] += b[3 * N / 4];
	return NULL;
}

/* A region, and the end of the function, in one branch alone. */
static int leave(int early, int steps)
{
	int count = 0;

	while (count < steps) {
		count++;
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			b[i] += a[N - 1 - i] * count;
		if (early)
			return count;
	}
	return -count;
}

/* A team of one runs a region as sequential code. */
static void alone(void)
{
	int k = 0;

#pragma omp parallel for num_threads(2)
	for (int i = 0; i < N; i++)
		a[i] += 1;
	k++;
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		b[i] += a[i] + k;
	k++;
#pragma omp parallel for if (k < 0)
	for (int i = 0; i < N; i++)
		a[i] += b[N - 1 - i] / 1024;
}

static void between(int form)
{
	double local[4] = {1, 2, 3, 4}, *p = local, value = 0;
	int k = 0;

	for (int turn = 0; turn < 3; turn++) {
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			a[i] += 1;
		k++;
		if (form == 0)
			value += view[N / 5];
		if (form == 1)
			b[k] = a[N - k];
		if (form == 2)
			touch_in_call();
		if (form == 3)
			printf("%.17g\n", a[N / 2]);
		if (form == 4)
			p[1] = a[3];
		if (form == 5)
			longjmp(back, 1);
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			b[i] += a[i] / 3;
	}
	printf("form %d: %.17g %.17g %d\n", form, value, local[1], k);
}

/* A region in some branches, and in others blocks that touch. */
static int branches(int steps)
{
	int count = 0;

	for (int step = 0; step < steps; step++) {
		if (step == 1) {
#pragma omp parallel for
			for (int i = 0; i < N; i++)
				a[i] += i % 3;
		} else {
			count += 100;
			b[step]++;
		}
		while (count % 4 != 0) { if (count % 2) { count += 3; a[count]++; } else {
#pragma omp parallel for
				for (int i = 0; i < N; i++)
					a[i] -= i % 2;
				count += 2;
			}
		}
	}
	return count;
}

static void handle(int number)
{
	handled += number;
	a[N / 7] += b[6 * N / 7];
}

static void show(const char *what)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		sum += a[i] * (i % 7) + b[i] * (i % 5);
	printf("%s: %.17g\n", what, sum);
}

int main(void)
{
	double *x = malloc(N * sizeof(*x)), *y = malloc(N * sizeof(*y));

	fill(a, 1);
	fill(b, 2);
	fill(x, 3);
	fill(y, 4);
	show("filled");
	printf("smooth: %.17g\n", smooth(x, y, 12));
	printf("smooth: %.17g %.17g\n", smooth(a, b, 3), x[N / 2] + y[N / 2]);
	printf("leave: %d\n", leave(1, 3));
	show("left early");
	printf("leave: %d\n", leave(0, 3));
	show("left late");
	printf("branches: %d\n", branches(6));
	show("branched");
	alone();
	show("alone");
	for (int form = 0; form < 7; form++)
		if (!setjmp(back))
			between(form);
	show("between");
	signal(SIGUSR1, handle);
	for (int turn = 0; turn < 3; turn++) {
		between(6);
		raise(SIGUSR1);
	}
	printf("handled %d\n", handled);
	show("handled");
	free(x);
	free(y);
	return 0;
}

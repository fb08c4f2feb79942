/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-singles.c - known loops with single and master constructs between them, that change
 * static variables and arrays, and print: while parts of pages are with several nodes.
 */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 30000, SMALL = 40, ROUNDS = 12 };

static double a[COUNT + 1], b[COUNT + 1], norm[ROUNDS], largest;
static int step, ended, steps[ROUNDS], *list;
static struct {
	double sum;
	int times;
	const char *name;
} state = {0, 0, "begun"};

static void smooth(double factor)
{
#pragma omp for
	for (int i = 1; i < COUNT; i++)
		b[i] = (a[i - 1] + a[i + 1]) * factor;
#pragma omp for
	for (int i = 1; i < COUNT; i++)
		a[i] = b[i];
}

/* What one thread decides all others see behind its construct. */
static void solve(void)
{
#pragma omp parallel
	{
		for (int round = 0; round < ROUNDS; round++) {
			double own = 0;

			smooth(0.5 + round * 0.001);
#pragma omp for nowait
			for (int i = 0; i < COUNT; i++)
				own = own < a[i] ? a[i] : own;
#pragma omp critical
			largest = largest < own ? own : largest;
#pragma omp barrier
#pragma omp single
			{
				norm[round] = largest;
				steps[round] += step++;
				printf("round %d: %.9g\n", round, norm[round]);
				state.sum += largest;
				state.times++;
				largest = 0;
			}
#pragma omp master
			if (round % 5 == 2)
				printf("%s at %d\n", "turn", round);
#pragma omp barrier
#pragma omp for
			for (int i = 0; i < COUNT - step; i++)
				a[i] += (double)steps[round] * i / COUNT;
		}
	}
}

/* Small pieces of the heap beside each other, and what the stream has of it. */
static void share(int *small, int *other)
{
#pragma omp parallel
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp for
		for (int i = 0; i < SMALL; i++)
			small[i] += i + round;
#pragma omp single
		{
			puts("small");
			putchar('a' + round);
			putchar('\n');
			ended = round;
		}
#pragma omp for
		for (int i = 0; i < SMALL; i++)
			other[i] = small[SMALL - 1 - i] + ended;
#pragma omp single nowait
		steps[round] += 2;
#pragma omp master
		step += 3;
	}
}

int main(void)
{
	int *small = malloc(SMALL * sizeof(int)), *other = malloc(SMALL * sizeof(int));
	double sum = 0;

	list = malloc(SMALL * sizeof(int));
	for (int i = 0; i < SMALL; i++)
		small[i] = other[i] = list[i] = i;
	for (int i = 0; i <= COUNT; i++)
		a[i] = i % 101;
	for (int times = 0; times < 3; times++) {
		solve();
		share(small, other);
		printf("%s %d %.9g %d\n", state.name, state.times, state.sum, ended);
	}
	for (int i = 0; i <= COUNT; i++)
		sum += a[i] * (i % 7);
	for (int i = 0; i < SMALL; i++)
		sum += small[i] + 3 * other[i] + list[i];
	for (int i = 0; i < ROUNDS; i++)
		sum += steps[i] + norm[i];
	printf("%.9g %d\n", sum, step);
	return 0;
}

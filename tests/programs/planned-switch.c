/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-switch.c - loops that threads share inside of switch statements, with cases that go on
 * into the next one, and switches in functions that regions and sequential code call.
 */
#include <stdio.h>

enum { COUNT = 5000, ROUNDS = 9 };

static double a[COUNT], b[COUNT], c[COUNT];
static int kind, turns[4];

static double pick(int i, int which)
{
	switch (which) {
	case 0:
		return a[i];
	case 1: {
		double twice = b[i] * 2;

		return twice;
	}
	default:
		break;
	}
	return c[i];
}

static void work(int round)
{
	switch (round % 4) {
	case 0:
		kind = 1;
#pragma omp parallel for
		for (int i = 0; i < COUNT; i++)
			a[i] = a[i] / 2 + i;
		/* fall through */
	case 1:
#pragma omp parallel for
		for (int i = 0; i < COUNT; i++)
			b[i] += a[COUNT - 1 - i] * kind;
		break;
	case 2: {
		int from = round % 3;

#pragma omp parallel
		{
#pragma omp for
			for (int i = 0; i < COUNT; i++)
				c[i] = pick(i, from);
			switch (from) {
			case 1:
#pragma omp for
				for (int i = 0; i < COUNT; i++)
					a[i] += c[i] / 3;
				break;
			default:
#pragma omp for nowait
				for (int i = 0; i < COUNT; i++)
					b[i] += c[i] / 5;
#pragma omp critical
				turns[0] += from;
			}
		}
		turns[from]++;
		break;
	}
	default:
		kind = b[round] > a[round];
		while (kind < 3) {
			switch (kind) {
			case 2:
				kind++;
				continue;
			case 1:
				turns[3] += (int)a[kind] % 3;
			}
			kind++;
		}
		c[round] += kind;
	}
}

int main(void)
{
	double sum = 0;

	for (int i = 0; i < COUNT; i++)
		a[i] = b[i] = c[i] = i % 7;
	for (int round = 0; round < ROUNDS; round++) {
		work(round);
		switch (round) {
		case 3:
			sum += a[round];
			break;
		case 5:
			b[round] += sum;
		}
	}
	for (int i = 0; i < COUNT; i++)
		sum += a[i] + 3 * b[i] + 5 * c[i];
	printf("%.9g %d %d %d %d\n", sum, kind, turns[0], turns[1], turns[3]);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Known loops that repeat in steady rounds, which then change: who has written what a loop reads,
 * who has read it before, and where it is read are others for a while, and the same again later.
 */
#include <stdio.h>

#define N	300
#define PENCILS 7
#define ROUNDS	6

static double line[N + 8], other[N + 8], seen[N + 8];
static double grid[PENCILS][3 * N], turned[3 * N][PENCILS];
static int changes;

static void describe(const char *name)
{
	double sum = 0, cross = 0;

	for (int i = 0; i < 3 * N; i++)
		for (int p = 0; p < PENCILS; p++) {
			sum += grid[p][i] * (i % 11 + p + 1);
			cross += turned[i][p] * (i % 7 + 1);
		}
	for (int i = 0; i < N + 8; i++)
		cross += line[i] + 2 * other[i] + seen[i] * (i % 5 + 1);
	printf("%s %.9e %.9e\n", name, sum, cross);
}

/* Each thread has written its part, or every second value; the loop that reads is the same. */
static void fill(int p, int round, int mixed)
{
	if (mixed) {
#pragma omp for schedule(static, 1)
		for (int i = 0; i < N + 8; i++) {
			line[i] = grid[p][i] + round;
			other[i] = line[i] / 2;
		}
	} else {
#pragma omp for
		for (int i = 0; i < N + 8; i++) {
			line[i] = grid[p][i] + round;
			other[i] = line[i] / 2;
		}
	}
}

static void look(int shift)
{
#pragma omp for
	for (int i = 0; i < N; i++)
		seen[i] += line[N - 1 - i + shift] / 8;
}

static void use(int p, int shift)
{
#pragma omp for
	for (int i = 4; i < N; i++)
		grid[p][i] = grid[p][i] / 2 + line[i - shift] / 4 + other[i + shift] / 8 + 1;
}

static void steady(int shift, int mixed, int looks)
{
#pragma omp parallel
	for (int round = 0; round < ROUNDS; round++)
		for (int p = 0; p < PENCILS; p++) {
			fill(p, round, mixed);
			if (looks)
				look(shift);
			use(p, shift);
		}
}

/* The same, where each round differs from the one before it. */
static void unsteady(void)
{
#pragma omp parallel
	for (int round = 0; round < 3 * ROUNDS; round++)
		for (int p = 0; p < PENCILS; p++) {
			fill(p, round, round % 3 == 1);
			if (round % 2)
				look(round % 4);
			use(p, round % 5 == 4 ? 3 : 1);
			if (round % 4 == 3)
				look(2);
		}
}

/* Rows, and after that columns of the same pages are written, by other threads. */
static void turns(int rounds)
{
#pragma omp parallel
	for (int round = 0; round < rounds; round++) {
		for (int p = 0; p < PENCILS; p++) {
#pragma omp for
			for (int i = 0; i < 3 * N; i++)
				turned[i][p] = turned[i][p] / 2 + grid[p][i];
		}
#pragma omp for
		for (int p = 0; p < PENCILS; p++)
			for (int i = 0; i < 3 * N; i++)
				grid[p][i] = grid[p][i] / 4 + turned[i][p] / 8 + p;
	}
}

/* Something that is not known comes between two of the same rounds. */
static void disturb(int value)
{
#pragma omp parallel
	{
#pragma omp for schedule(dynamic, 5)
		for (int i = 0; i < N; i++)
			line[i] += value;
#pragma omp single
		other[value] += value;
#pragma omp master
		changes++;
	}
	grid[value % PENCILS][value] += line[value];
}

int main(void)
{
	for (int p = 0; p < PENCILS; p++)
		for (int i = 0; i < 3 * N; i++)
			grid[p][i] = (p * 31 + i * 7) % 64;
	for (int again = 0; again < 3; again++) {
		steady(1, 0, 0);
		describe("steady");
		steady(2, 0, 1);
		describe("farther, and read before");
		steady(1, 1, 0);
		describe("mixed");
		steady(1, 0, 0);
		describe("steady again");
		turns(2 + again);
		describe("turns");
		unsteady();
		describe("unsteady");
		disturb(3 + again);
		turns(5);
		describe("disturbed");
	}
	printf("%d\n", changes);
	return 0;
}

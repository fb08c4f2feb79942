// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Known loops over rows that pointers lead to, each allocated by itself, on several levels as of a
 * multigrid.  Between rounds rows are swapped, moved, freed and allocated anew, or are parts of
 * others: by sequential code, by one node or by all in a region, in known loops and in others.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS 4
#define MOST   34
#define TINY   200

struct lists {
	double **row;
	int rows;
};

static double ****u, ****r;
static int size[LEVELS];
static struct lists tiny[2];
static double *fixed[MOST], spare[MOST][MOST], other[MOST][MOST], **tail;

static double ***cube(int n)
{
	double ***made = malloc(n * sizeof(*made));

	for (int k = 0; k < n; k++) {
		made[k] = malloc(n * sizeof(*made[k]));
		for (int j = 0; j < n; j++) {
			made[k][j] = malloc(n * sizeof(*made[k][j]));
			for (int i = 0; i < n; i++)
				made[k][j][i] = (k * 31 + j * 17 + i * 7) % 64;
		}
	}
	return made;
}

static void smooth(double ***to, double ***from, int n)
{
#pragma omp parallel for
	for (int k = 1; k < n - 1; k++)
		for (int j = 1; j < n - 1; j++)
			for (int i = 1; i < n - 1; i++)
				to[k][j][i] = to[k][j][i] / 2 + from[k][j][i] / 4 +
					      from[k - 1][j][i + 1] / 16 +
					      from[k + 1][j - 1][i] / 16;
}

static void borders(double ***of, int n)
{
#pragma omp parallel
	{
#pragma omp for
		for (int k = 1; k < n - 1; k++)
			for (int i = 0; i < n; i++) {
				of[k][n - 1][i] = of[k][1][i];
				of[k][0][i] = of[k][n - 2][i];
			}
#pragma omp for nowait
		for (int j = 0; j < n; j++)
			for (int i = 0; i < n; i++) {
				of[n - 1][j][i] = of[1][j][i];
				of[0][j][i] = of[n - 2][j][i];
			}
	}
}

/* Every second row, of all blocks, is another thread's; and then the ends of rows, by blocks. */
static void ends(double ***of, int n)
{
#pragma omp parallel
	{
#pragma omp for schedule(static, 1)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				for (int i = 2; i < n - 2; i++)
					of[k][j][i] += (k + j + i) % 8;
#pragma omp for
		for (int k = 1; k < n - 1; k++)
			for (int j = 1; j < n - 1; j++) {
				of[k][j][n - 1] = of[k][j][1];
				of[k][j][0] = of[k][j][n - 2];
			}
	}
}

static void coarsen(double ***to, double ***from, int n)
{
#pragma omp parallel for
	for (int k = 0; k < n - 1; k++)
		for (int j = 0; j < n - 1; j++)
			for (int i = 0; i < n - 1; i++)
				to[k][j][i] += from[2 * k][2 * j][2 * i] / 8;
}

/* Threads write to rows of a word each, every second of which is another one's. */
static void turns(int shift)
{
#pragma omp parallel
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < TINY; i++)
			tiny[0].row[i][0] = tiny[1].row[(i + shift) % TINY][0] / 2 + i;
#pragma omp for
		for (int i = 0; i < TINY; i++)
			tiny[1].row[i][0] += tiny[0].row[TINY - 1 - i][0] / 4;
	}
}

static void statics(void)
{
#pragma omp parallel for
	for (int k = 0; k < MOST; k++)
		for (int i = 0; i < MOST; i++)
			fixed[k][i] = fixed[k][i] / 2 + spare[MOST - 1 - k][i] / 4 + 1;
}

static void cycle(int rounds)
{
	for (int round = 0; round < rounds; round++) {
		for (int l = LEVELS - 1; l > 0; l--) {
			smooth(r[l], u[l], size[l]);
			borders(r[l], size[l]);
			coarsen(r[l - 1], r[l], size[l - 1]);
		}
		for (int l = 0; l < LEVELS; l++) {
			smooth(u[l], r[l], size[l]);
			borders(u[l], size[l]);
			ends(u[l], size[l]);
		}
		turns(3);
		statics();
	}
}

static void describe(const char *name)
{
	double sum = 0;

	for (int l = 0; l < LEVELS; l++)
		for (int k = 0; k < size[l]; k++)
			for (int j = 0; j < size[l]; j++)
				for (int i = 0; i < size[l]; i++)
					sum += u[l][k][j][i] * (i % 5 + 1) +
					       r[l][k][j][i] * (j % 3 + 1);
	for (int i = 0; i < TINY; i++)
		sum += tiny[0].row[i][0] * (i % 7) + tiny[1].row[i][0];
	for (int k = 0; k < MOST; k++)
		for (int i = 0; i < MOST; i++)
			sum += fixed[k][i] * (i % 3 + 1) + other[k][i] * (i % 2 + 1);
	printf("%s %.12e\n", name, sum);
}

static void swap(double **one, double **other)
{
	double *row = *one;

	*one = *other;
	*other = row;
}

/* -- pointers change --------------------------------------------------------------------------- */

static void by_sequential_code(void)
{
	swap(&u[3][4][5], &u[3][20][6]);
	swap(&tiny[0].row[7], &tiny[0].row[120]);
	swap(&fixed[3], &fixed[9]);
}

static void by_one(void)
{
#pragma omp parallel
	{
#pragma omp single
		{
			swap(&u[3][2][5], &u[3][30][7]);
			swap(&r[2][1][1], &r[2][9][3]);
		}
#pragma omp barrier
#pragma omp for
		for (int k = 1; k < size[3] - 1; k++)
			for (int j = 0; j < size[3]; j++)
				u[3][k][j][k] += j;
	}
}

/* Each thread, in a known loop, and the next one uses that. */
static void by_all(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int k = 0; k < MOST; k++)
			fixed[k] = spare[k];
#pragma omp for
		for (int k = 0; k < MOST; k++)
			for (int i = 0; i < MOST; i++)
				fixed[k][i] += k - i;
#pragma omp for
		for (int k = 0; k < MOST; k++)
			fixed[k] = tail[MOST - 1 - k];
	}
}

static void by_turns(void)
{
#pragma omp parallel for schedule(dynamic, 3)
	for (int k = 0; k < size[3]; k++)
		swap(&u[3][k][1], &u[3][k][2]);
}

/* Nothing else comes in between: pointers change, in a region, between two times of a loop. */
static void swap_by_one(int at)
{
#pragma omp parallel
	{
#pragma omp single
		swap(&fixed[at], &fixed[MOST - 1 - at]);
#pragma omp for
		for (int k = 0; k < MOST; k++)
			fixed[k][k] += 1;
	}
}

static void swap_by_turns(void)
{
#pragma omp parallel for schedule(dynamic, 2)
	for (int k = 0; k < MOST / 2; k++)
		swap(&fixed[k], &fixed[MOST - 1 - k]);
}

static void lead_elsewhere(int round)
{
#pragma omp parallel
	{
#pragma omp for
		for (int k = 0; k < MOST; k++)
			fixed[k] = round % 2 ? other[k] : other[MOST - 1 - k];
#pragma omp for
		for (int k = 0; k < MOST; k++)
			for (int i = 0; i < MOST; i++)
				fixed[k][i] += k + round;
#pragma omp for
		for (int k = 0; k < MOST; k++)
			fixed[k] = tail[(k + round) % MOST];
	}
}

static void calm(int rounds)
{
	for (int round = 0; round < rounds; round++) {
		statics();
		statics();
		if (round % 2)
			swap_by_one(round);
		statics();
		statics();
		if (round % 3)
			swap_by_turns();
		statics();
		lead_elsewhere(round);
		statics();
		lead_elsewhere(round + 1);
	}
}

static void by_sequential_code_alone(void)
{
	for (int round = 0; round < 6; round++) {
		statics();
		statics();
		swap(&fixed[round], &fixed[MOST - 1 - round]);
		statics();
		if (round == 3) {
			free(fixed[8]);
			free(fixed[30]);
			fixed[30] = calloc(MOST, sizeof(double));
			fixed[8] = calloc(MOST + 4, sizeof(double));
			tail[8] = fixed[8];
			tail[30] = fixed[30];
		}
		statics();
	}
}

static void between_loops(int rounds)
{
#pragma omp parallel
	for (int round = 0; round < rounds; round++) {
#pragma omp for
		for (int k = 0; k < size[2]; k++)
			for (int j = 0; j < size[2]; j++)
				r[2][k][j][1] += k + j;
#pragma omp master
		swap(&r[2][round][3], &r[2][9 - round][4]);
#pragma omp barrier
	}
}

static void allocated_anew(int smaller)
{
	int n = size[3];

	for (int k = 0; k < n; k += 3)
		for (int j = 0; j < n; j++) {
			double *row = malloc((n + smaller) * sizeof(*row));

			memcpy(row, u[3][k][j], n * sizeof(*row));
			free(u[3][k][j]);
			u[3][k][j] = row;
		}
}

/* All rows are parts of one piece of memory, in the order of their ends. */
static void in_one_piece(void)
{
	int n = size[2];
	double *all = malloc(n * n * n * sizeof(*all));

	for (int k = 0; k < n; k++)
		for (int j = 0; j < n; j++) {
			double *row = all + ((n - 1 - j) * n + k) * n;

			memcpy(row, r[2][k][j], n * sizeof(*row));
			free(r[2][k][j]);
			r[2][k][j] = row;
		}
}

/* Two rows are the same; all but one thread only reads them. */
static void doubled(void)
{
	double *row = u[3][33][0];

	u[3][33][0] = u[3][33][1];
	smooth(r[3], u[3], size[3]);
	u[3][33][0] = row;
	smooth(r[3], u[3], size[3]);
}

int main(void)
{
	double *own[MOST];

	u = malloc(LEVELS * sizeof(*u));
	r = malloc(LEVELS * sizeof(*r));
	for (int l = 0; l < LEVELS; l++) {
		size[l] = (4 << l) + 2;
		u[l] = cube(size[l]);
		r[l] = cube(size[l]);
	}
	for (int t = 0; t < 2; t++) {
		tiny[t].row = malloc(TINY * sizeof(*tiny[t].row));
		for (int i = 0; i < TINY; i++)
			*(tiny[t].row[i] = malloc(sizeof(double))) = i;
	}
	tail = malloc(MOST * sizeof(*tail));
	for (int k = 0; k < MOST; k++) {
		fixed[k] = calloc(MOST, sizeof(double));
		tail[k] = calloc(MOST, sizeof(double));
		own[k] = r[3][k][k];
	}
	for (int again = 0; again < 2; again++) {
		cycle(4);
		describe("steady");
		by_sequential_code();
		cycle(3);
		describe("sequential code");
		by_one();
		cycle(3);
		describe("one");
		by_all();
		cycle(3);
		describe("all");
		by_turns();
		cycle(3);
		describe("turns");
		between_loops(5);
		cycle(2);
		describe("between loops");
		allocated_anew(again);
		cycle(3);
		describe("anew");
		doubled();
		describe("doubled");
#pragma omp parallel for
		for (int k = 0; k < MOST; k++)
			for (int i = 0; i < MOST; i++)
				own[k][i] = k - i;
		for (int k = 0; k < MOST; k++)
			own[k] = r[3][MOST - 1 - k][again + k % 2];
	}
	calm(7);
	describe("calm");
	for (int k = 0; k < MOST; k++)
		fixed[k] = tail[k];
	by_sequential_code_alone();
	describe("sequential code alone");
	in_one_piece();
	cycle(3);
	describe("one piece");
	return 0;
}

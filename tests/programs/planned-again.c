// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loops that are met again, with all but one of the things as before that decide on what they read
 * and write: each in its turn.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N	6000
#define ROUNDS	6
#define ROWS	16
#define COLUMNS 3000

struct record {
	int before, offset;
	int *where;
};

static int data[4 * N], other[4 * N], table[ROWS][COLUMNS];
static int seen[4 * N], seen_table[ROWS][COLUMNS];
static int page[1024] __attribute__((aligned(4096)));
static int limit, offsets[3], places[4], first;
static struct record record, *records = &record;
static int *pointer = data;
static int indices[N];

/* Other threads read what a loop has written, at once. */
static void look(void)
{
#pragma omp for
	for (int i = 0; i < 4 * N; i++)
		seen[i] = data[4 * N - 1 - i] + 7 * other[4 * N - 1 - i];
#pragma omp for
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			seen_table[i][j] = table[ROWS - 1 - i][j];
}

static void check(const char *name, int round)
{
	unsigned sum = 0;

	for (int i = 0; i < 4 * N; i++)
		sum = sum * 31 + (unsigned)seen[i];
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			sum = sum * 31 + (unsigned)seen_table[i][j];
	printf("%s %d: %u\n", name, round, sum);
}

/* -- values of each thread's own --------------------------------------------------------------- */

static void fill_to(int end, int value)
{
#pragma omp for
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < end; j++)
			table[i][j] += value;
}

static void fill_from(int offset, int value)
{
#pragma omp for
	for (int i = 0; i < N; i++)
		data[i + offset] += value;
}

static void fill_at(int *where, int value)
{
#pragma omp for
	for (int i = 0; i < N; i++)
		where[i] += value;
}

static void fill_if(double number, float less, int value)
{
#pragma omp for
	for (int i = 0; i < N; i++) {
		if (number > 0.5)
			data[i] += value;
		else
			other[i] -= value;
		if (less < 0.25f)
			other[2 * N + i] += value;
	}
}

static void clear(char *where, size_t size, int value)
{
#pragma omp for
	for (int i = 0; i < 8; i++)
		memset(where + i * 1024 * sizeof(int), value, size);
}

/* Each thread has a part of the page. */
static void read_from(int offset, int value)
{
#pragma omp for
	for (int i = 0; i < 1024; i++)
		page[i] += i + value;
#pragma omp for
	for (int i = 0; i < 256; i++)
		data[i * 64] += page[i + offset];
}

static void own(int round)
{
	int odd = round % 2;

#pragma omp parallel
	{
#pragma omp barrier
		fill_to(odd ? 300 : COLUMNS, round);
		look();
	}
	check("bound", round);
#pragma omp parallel
	{
#pragma omp barrier
		fill_from(odd * 2 * N, round);
		look();
	}
	check("offset", round);
#pragma omp parallel
	{
#pragma omp barrier
		fill_at(odd ? other : data + N, round);
		look();
	}
	check("pointer", round);
#pragma omp parallel
	{
#pragma omp barrier
		fill_if(odd ? 0.75 : 0.25, round % 3 ? 0.375f : 0, round);
		look();
	}
	check("real numbers", round);
#pragma omp parallel
	{
#pragma omp barrier
		clear((char *)data, odd ? 512 : 4096, round);
		look();
	}
	check("size", round);
#pragma omp parallel
	{
#pragma omp barrier
		read_from(odd * 512, round);
		look();
	}
	check("read", round);
#pragma omp parallel
	{
		for (int row = odd; row < ROWS; row += 5) {
#pragma omp for
			for (int j = 0; j < COLUMNS; j++)
				table[row][j] += round;
		}
		look();
	}
	check("loop around", round);
}

/* -- iterations -------------------------------------------------------------------------------- */

static void iterate(int round)
{
	int odd = round % 2, from = odd * N, step = 1 + odd, chunk = odd ? 700 : 100;
	int rows = odd ? 4 : 12, columns = odd ? 3000 : 1000;

#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = from; i < from + N; i++)
			data[i] += round;
		look();
	}
	check("first", round);
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < step * N; i += step)
			data[i] += round;
		look();
	}
	check("step", round);
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = from + N; i > from; i -= 2)
			other[i] += round;
		look();
	}
	check("descending", round);
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for schedule(static, chunk)
		for (int i = 0; i < N; i++)
			data[i] += round;
		look();
	}
	check("chunk", round);
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for collapse(2)
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < columns; j++)
				table[i][j] += round;
		look();
	}
	check("rounds", round);
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for collapse(2)
		for (int i = odd; i < 8 + odd; i++)
			for (int j = 10 * odd; j < 200 + 10 * odd; j++)
				table[i][14 * j] += round;
		look();
	}
	check("rectangle", round);
}

/* -- memory ------------------------------------------------------------------------------------ */

static void remember(int round)
{
	int odd = round % 2, shared = odd * N;

	limit = odd ? 300 : COLUMNS;
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < ROWS; i++)
			for (int j = 0; j < limit; j++)
				table[i][j] -= round;
		look();
	}
	check("shared bound", round);
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < N; i++)
			data[i + shared] += round;
		look();
	}
	check("on the stack", round);
	offsets[1] = odd * N;
	offsets[0] = odd * 16;
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < N; i++) {
			data[i + offsets[1]] += round;
			other[i + offsets[0]] -= round;
		}
		look();
	}
	check("two of three elements", round);
	places[2] = odd * N + 100;
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < N; i++) {
			data[i + places[2]] += round;
			data[i + places[0] + 3 * N] += round;
			other[i + places[1]] += round;
			other[i + places[3] + N] -= round;
		}
		look();
	}
	check("all elements", round);
	record.offset = odd * N;
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < N; i++)
			data[i + record.offset] += round;
		look();
	}
	check("member", round);
	records->offset = !odd * N;
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < N; i++)
			other[i + records->offset] += round;
		look();
	}
	check("member by a pointer", round);
	pointer = odd ? other + N : data;
	record.where = odd ? data : other;
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < N; i++) {
			pointer[i] += round;
			records->where[i + 2 * N] -= round;
		}
		look();
	}
	check("pointers", round);
	first = !odd;
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < ROWS; i++)
			for (int j = first ? 7 : 200; j < COLUMNS; j++)
				if (first)
					table[i][j] += round;
		look();
	}
	check("condition", round);
}

/* -- addresses and sizes ----------------------------------------------------------------------- */

static void __attribute__((noinline)) deeper(int depth, int round)
{
	int local[N];

	if (depth) {
		deeper(depth - 1, round);
		return;
	}
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < N; i++)
			local[i] = i + round;
		look();
	}
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < N; i++)
			data[i] += local[N - 1 - i];
		look();
	}
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < N; i++)
			other[i] += local[indices[i]];
		look();
	}
}

static void rows_of(int columns, int (*matrix)[columns], int rows, int round)
{
	/* The size of a row is what it was. */
	columns = 50;
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < columns; j++)
				matrix[i][j] += round;
		look();
	}
	check("size of rows", round);
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < columns; j++)
				(*(matrix + i))[j] ^= round;
		look();
	}
	check("pointer to a row", round);
}

static void cubes_of(int rows, int columns, void *where, int round)
{
	int(*cube)[rows][columns] = where;

#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < 3; i++)
			for (int j = 0; j < 10; j++)
				for (int k = 0; k < 10; k++)
					cube[i][j][k] += i * j + k + round;
		look();
	}
	check("sizes of planes and rows", round);
}

static void local_of(int columns, int round)
{
	int local[8][columns];

#pragma omp parallel
	{
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < 8; i++)
			for (int j = 0; j < columns; j++)
				local[i][j] = i * j + round;
#pragma omp for
		for (int i = 0; i < 8; i++)
			for (int j = 0; j < 100; j++)
				data[i * 100 + j] += local[7 - i][j];
		look();
	}
	check("array with sizes", round);
}

static void address(int round)
{
	int odd = round % 2;

	deeper(odd, round);
	check("frame", round);
	rows_of(odd ? 300 : 100, (int(*)[])data, 60, round);
	cubes_of(odd ? 640 : 10, odd ? 10 : 640, data, round);
	local_of(odd ? 300 : 100, round);
}

int main(void)
{
	for (int i = 0; i < N; i++)
		indices[i] = i * 7 % N;
	for (int round = 1; round <= ROUNDS; round++) {
		own(round);
		iterate(round);
		remember(round);
		address(round);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Indices that are not what the expression for them would be: C converts them to narrower types,
 * they wrap around, their loops end in other ways than by a limit that is reached.
 */
#include <stddef.h>
#include <stdio.h>

#define N 100

static int narrow[70000], other[70000];
static int square[N][N], turned[N][N];

static unsigned char shorter(int i)
{
	return i + 100;
}

static void convert(int round)
{
#pragma omp parallel for
	for (int i = 0; i < 256; i++) {
		unsigned char sum = i, step = i;
		_Bool flag = 0;

		sum += 100;
		step++;
		flag += 2;
		narrow[sum] = i + round;
		narrow[300 + step] = i - round;
		narrow[600 + 2 * i + flag] = i * round;
		narrow[1200 + shorter(i)] = i ^ round;
	}
#pragma omp parallel for
	for (int i = 0; i < 256; i++) {
		unsigned char sum = i, step = i;
		int more = i;

		sum += 77;
		--step;
		more *= 1.5;
		other[i] += narrow[sum] * 3 + narrow[300 + step] + narrow[600 + more] +
			    narrow[1200 + shorter(i)];
	}
}

static void wrap(int round)
{
#pragma omp parallel for
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 4096; j++)
			narrow[(unsigned short)(i * 4096 + j + 2048)] = i * 10000 + j + round;
#pragma omp parallel for
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 4096; j++)
			other[i * 4096 + j] += narrow[(unsigned short)(i * 4096 + j + 6000)];
}

static void turn(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			square[i][j] += turned[j][i];
}

static void end(int round)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (size_t j = N - 1; j < N; j--) /* until it wraps around */
			turned[i][j] = i + round + (int)j;
	turn();
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int j = 0; j < i * 0.5; j++)
			turned[i][j] += square[i][j] * 3;
	turn();
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (unsigned char j = i; j != 10; j++)
			if (j < N)
				turned[i][j] += square[i][j] * 3;
	turn();
}

/* What is accessed is in very many pieces. */
static void alternate(void)
{
	static float board[1000][1000];
	double sum = 0;

	for (int colour = 0; colour < 2; colour++) {
#pragma omp parallel for
		for (int i = 1; i < 999; i++)
			for (int j = 1; j < 999; j++)
				if (((i + j) & 1) == colour)
					board[i][j] += 1 + (board[i - 1][j] + board[i + 1][j]) / 2;
	}
	for (int i = 0; i < 1000; i++)
		for (int j = 0; j < 1000; j++)
			sum += board[i][j] * (i + 2 * j);
	printf("%.0f\n", sum);
}

int main(void)
{
	unsigned sum = 0;

	for (int round = 0; round < 3; round++) {
		convert(round);
		wrap(round);
		end(round);
	}
	for (int i = 0; i < 70000; i++)
		sum = sum * 31 + (unsigned)narrow[i] + 7 * (unsigned)other[i];
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			sum = sum * 31 + (unsigned)square[i][j] + 7 * (unsigned)turned[i][j];
	printf("%u\n", sum);
	alternate();
	return 0;
}

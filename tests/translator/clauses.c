/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data-sharing clauses: copies, last values, reductions of every type, arrays and sections. */
#include <complex.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 96

struct point {
	int x;
	double y[3];
};

enum colour { RED, GREEN = 4, BLUE = 9 };

static int global = 5;

static void copies(int parameter, double list[4])
{
	int a = 7, rows = 3;
	double vector[5] = { 1, 2, 3, 4, 5 };
	int variable[rows][2];
	struct point p = { 3, { 1, 2, 3 } };
	const int constant = 11;
	const double table[3] = { 0.5, 1.5, 2.5 };
	char *text = "text";
	double total = 0;
	register int fast = 4;

	memset(variable, 0, sizeof variable);
	variable[2][1] = 9;
#pragma omp parallel for firstprivate(a, vector, p, constant, table, text, parameter, list, global, variable) \
	reduction(+ : total)
	for (int i = 0; i < N; i++) {
		total += a + vector[4] + p.y[2] + constant + table[1] + text[1] + parameter +
			 list[1] + global + variable[2][1] + fast;
		total += sizeof variable + sizeof vector + sizeof list;
	}
	printf("firstprivate %g\n", total);

#pragma omp parallel for private(a, vector, p, variable, list, parameter)
	for (int i = 0; i < N; i++) {
		a = i;
		vector[i % 5] = i;
		p.x = i;
		variable[i % 3][0] = i;
		list = vector;
		parameter = (int)list[i % 5];
		if (a != parameter || p.x != variable[i % 3][0])
			abort();
	}
	printf("private %d %g %d %d %g %d\n", a, vector[2], p.x, variable[0][0], list[1], parameter);

	int k = -1;
#pragma omp parallel for lastprivate(a, vector, p, k, variable)
	for (k = 0; k < N; k += 5) {
		a = 10 * k;
		for (int j = 0; j < 5; j++)
			vector[j] = k + j;
		for (int j = 0; j < rows; j++)
			variable[j][0] = variable[j][1] = k * j;
		p.x = k;
		p.y[0] = p.y[1] = p.y[2] = k * 0.5;
	}
	printf("lastprivate %d %g %d %g %d %d\n", a, vector[4], p.x, p.y[2], k, variable[2][1]);

	a = 1000;
#pragma omp parallel for firstprivate(a) lastprivate(a) schedule(static, 4)
	for (int i = 0; i < N; i++)
		if (i == N - 1)
			a++;
	printf("both %d\n", a);
}

#define PRAGMA(text) _Pragma(#text)

#define REDUCE(type, op, start, update, format)                                                    \
	do {                                                                                       \
		type x = (type)(start);                                                            \
		PRAGMA(omp parallel for reduction(op : x)) for (int i = 1; i <= 12; i++)           \
		{                                                                                  \
			update;                                                                    \
		}                                                                                  \
		printf(#type " " #op " " format "\n", x);                                          \
	} while (0)

#define REDUCE_INTEGER(type, format)                                                               \
	REDUCE(type, +, 3, x += (type)i, format);                                                  \
	REDUCE(type, -, 3, x -= (type)i, format);                                                  \
	REDUCE(type, *, 1, x *= (type)(i % 3 + 1), format);                                        \
	REDUCE(type, &, ~0, x &= (type) ~(1u << i % 7), format);                                   \
	REDUCE(type, |, 0, x |= (type)(1u << i % 7), format);                                      \
	REDUCE(type, ^, 5, x ^= (type)(i * 3), format);                                            \
	REDUCE(type, &&, 1, x = x && i != 7, format);                                              \
	REDUCE(type, ||, 0, x = x || i == 7, format);                                              \
	REDUCE(type, max, 2, if (x < (type)(i * 5 % 13)) x = (type)(i * 5 % 13), format);          \
	REDUCE(type, min, 9, if (x > (type)(i * 5 % 13)) x = (type)(i * 5 % 13), format)

#define REDUCE_REAL(type, format)                                                                  \
	REDUCE(type, +, 3, x += (type)i / 4, format);                                              \
	REDUCE(type, -, 3, x -= (type)i / 4, format);                                              \
	REDUCE(type, *, 1, x *= (type)(i % 3 + 1), format);                                        \
	REDUCE(type, &&, 1, x = x && i != 7, format);                                              \
	REDUCE(type, ||, 0, x = x || i == 7, format);                                              \
	REDUCE(type, max, -2, x = x < (type)-i ? (type)-i : x, format);                            \
	REDUCE(type, min, 9, x = x > (type)-i ? (type)-i : x, format)

static void reductions(void)
{
	double complex z = 1 + I;
	float complex zf = 2;
	_Bool flag = true;
	enum colour colour = RED;
	volatile int odd = 0;

	REDUCE_INTEGER(char, "%d");
	REDUCE_INTEGER(signed char, "%d");
	REDUCE_INTEGER(unsigned char, "%d");
	REDUCE_INTEGER(short, "%d");
	REDUCE_INTEGER(unsigned short, "%d");
	REDUCE_INTEGER(int, "%d");
	REDUCE_INTEGER(unsigned int, "%u");
	REDUCE_INTEGER(long, "%ld");
	REDUCE_INTEGER(unsigned long, "%lu");
	REDUCE_INTEGER(long long, "%lld");
	REDUCE_INTEGER(unsigned long long, "%llu");
	REDUCE_REAL(float, "%g");
	REDUCE_REAL(double, "%g");
	REDUCE_REAL(long double, "%Lg");
#pragma omp parallel for reduction(* : z) reduction(+ : zf, odd) reduction(&& : flag) \
	reduction(| : colour)
	for (int i = 1; i < 9; i++) {
		z *= i % 2 ? I : 2;
		zf += i * I;
		flag = flag && i;
		colour |= i == 5 ? GREEN : BLUE;
		odd += i & 1;
	}
	printf("%g %g, %g %g, %d %d %d\n", creal(z), cimag(z), crealf(zf), cimagf(zf), flag,
	       (int)colour, odd);
}

static void arrays(int n, double *pointer, int matrix[4][6])
{
	double h[10] = { 0 };
	long cube[2][3][4];
	int length[n];
	int i;

	memset(cube, 0, sizeof cube);
	for (i = 0; i < n; i++)
		length[i] = i;
#pragma omp parallel for reduction(+ : h, cube, length)
	for (i = 0; i < N; i++) {
		h[i % 10] += i;
		cube[i % 2][i % 3][i % 4] += i;
		length[i % n]++;
	}
	for (i = 0; i < 10; i++)
		printf("%g ", h[i]);
	printf("%ld %ld %d\n", cube[1][2][3], cube[0][0][0], length[n - 1]);

#pragma omp parallel for reduction(+ : h[2 : 4], pointer[1 : n], cube[1 : 1][0 : 3]) \
	reduction(max : matrix[1 : 2][ : 6])
	for (i = 0; i < N; i++) {
		h[2 + i % 4] += i;
		pointer[1 + i % n] += i;
		cube[1][i % 3][i % 4]++;
		if (matrix[1 + i % 2][i % 6] < i)
			matrix[1 + i % 2][i % 6] = i;
	}
	for (i = 0; i < 10; i++)
		printf("%g ", h[i]);
	printf("%g %g %ld %d %d\n", pointer[1], pointer[n], cube[1][2][3], matrix[1][3],
	       matrix[2][5]);
}

int main(void)
{
	double list[4] = { 4, 3, 2, 1 };
	static double memory[20];
	static int matrix[4][6];

	copies(2, list);
	reductions();
	arrays(7, memory, matrix);
	return 0;
}

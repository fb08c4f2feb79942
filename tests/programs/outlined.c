/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks that the compiler makes functions of, with what it may find hard to take along. */
#include <stdio.h>
#include <string.h>
static _Thread_local int mine = 5;
static int beside(int n)
{
	int sum = 0;
	int add(int by)
	{
		return sum += by;
	}

	add(1);
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < n; i++)
		sum += i;
	return add(2);
}
static int within(int n)
{
	int r = 0;
#pragma omp parallel for reduction(+ : r)
	for (int i = 0; i < n; i++) {
		int more(int k)
		{
			return k + n;
		}
		r += more(i);
	}
	return r;
}
static inline int folded(int n)
{
	int v[n];
#pragma omp parallel
	{
		int w[n], *a = __builtin_alloca(n * sizeof(int));
		static int seen = 7;
		memset(w, 0, sizeof w);
		a[n - 1] = seen + mine;
#pragma omp for
		for (int i = 0; i < n; i++)
			v[i] = w[i] + a[n - 1];
	}
	return v[n - 1];
}
static int expression(int n)
{
	int s = 0;
	int t = ({
		int u = n;
#pragma omp parallel for reduction(+ : s)
		for (int i = 0; i < n; i++)
			s += u;
		s;
	});
	return t;
}
#define REGION(x)                                                                                  \
	do {                                                                                       \
		_Pragma("omp parallel for") for (int i = 0; i < 10; i++) x[i] = i;                 \
	} while (0)
static int vlas(int n, double a[n][n])
{
	int k = 3;
	double b[n][n];
#pragma omp parallel for private(b) firstprivate(k)
	for (int i = 0; i < n; i++) {
		__typeof__(b) c;
		b[i][0] = k;
		c[i][0] = b[i][0];
		a[i][i] = c[i][0] + sizeof b;
	}
	return (int)a[n - 1][n - 1];
}
static int firstlast(void)
{
	int x = 4, a[3] = {1, 2, 3};
#pragma omp parallel for firstprivate(x, a) lastprivate(x, a)
	for (int i = 0; i < 8; i++) {
		if (x < 100)
			x = x + 100 + i;
		a[1] = i;
	}
	return a[1] * 1000 + a[2] + (x > 0);
}
const int fixed = 12;
static int named(void)
{
	int reg = 3;
	const int c = fixed;
	int out = 0;
#pragma omp parallel default(none) shared(out, fixed, c, reg)
	{
#pragma omp single
		out = c + fixed + reg;
	}
	return out;
}
static int two_levels(int n)
{
	int out[4] = {0};
#pragma omp parallel
	{
		int own = n;
#pragma omp parallel firstprivate(own)
		own++;
#pragma omp single
		out[0] = own;
	}
	return out[0];
}
#pragma omp declare simd
static int square(int x)
{
	return x * x;
}
int main(int argc, char **argv)
{
	double a[5][5] = {{0}};
	int x[10];
	(void)argv;
	REGION(x);
	printf("%d %d %d %d %d %d %d %d\n", beside(10), within(9), folded(11), expression(6),
	       vlas(5, a), firstlast(), named(), two_levels(5));
#pragma omp parallel for simd
	for (int i = 0; i < 10; i++)
		x[i] = square(i);
#pragma omp parallel num_threads(2) if (argc > 0) proc_bind(close)
#pragma omp master
	switch (argc) {
	case 1:
		x[0] = 1;
		break;
	default:
		x[0] = 2;
	}
	printf("%d %d\n", x[9], x[0]);
	return 0;
}

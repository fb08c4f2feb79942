/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clauses with values of their own: what is private around tasks, loop variables of simd, names and
 * constants in clauses, loops that are shared out alike. */
#include <stdio.h>

enum { TWO = 2, BACK = TWO - 3 };

static int mine = 1, copied = 2, k = -1;

/* A static variable that is private around a task is firstprivate in it. */
static void tasks(void)
{
	int sum = 0;

#pragma omp parallel private(mine) firstprivate(copied) reduction(+ : sum)
	{
		mine = 7;
#pragma omp task
		{
			mine++;
			copied++;
		}
#pragma omp task shared(mine)
		mine += 100;
#pragma omp taskwait
		sum += (mine != 107) + (copied != 2);
	}
	printf("tasks %d %d %d\n", sum, mine, copied);
}

/* The loop variables of simd have their last values behind it, even if they are private around. */
static void simd(void)
{
	int i = -1, j = -1, n = -1, s = 0, last = 0;

#pragma omp parallel for simd reduction(+ : s)
	for (k = 0; k < 128; k += 3)
		s++;
#pragma omp parallel for simd collapse(TWO) schedule(dynamic, 3)
	for (i = 0; i < 4; i++)
		for (j = 10; j > 5; j += BACK)
			;
#pragma omp for simd
	for (n = 0; n < 77; n++)
		;
	printf("simd %d %d %d %d %d\n", s, k, i, j, n);
#pragma omp parallel private(n) reduction(max : last)
	{
		n = 0;
#pragma omp for simd
		for (n = 0; n < 77; n++)
			;
		last = n;
	}
	printf("simd %d\n", last);
}

static void letters(void)
{
	int sum = 0, \u00e9t\u00e9 = 4, größe = 3;

#pragma omp parallel for firstprivate(été, gr\U000000f6\u00dfe) reduction(+ : sum)
	for (int i = 0; i < 4; i++)
		sum += été * größe;
	printf("letters \u00e9 %d\n", sum);
}

static void constants(void)
{
	enum { TWO = 3 };
	int count = 0, i, j, l;

#pragma omp parallel for collapse((1 << (TWO - 2)) + 1) reduction(+ : count)
	for (i = 0; i != 10; i += TWO - 2)
		for (j = 10; j != 0; j -= -BACK)
			for (l = 0; l < 9; l += TWO)
				count++;
	printf("constants %d\n", count);
}

/* Each node finds what it wrote itself in the loop before. */
static void reproducible(void)
{
	int a[128], bad = 0;

#pragma omp parallel
	{
#pragma omp for nowait schedule(dynamic, 2) order(reproducible : concurrent)
		for (int i = 0; i < 128; i++)
			a[i] = i;
#pragma omp for nowait schedule(dynamic, 2) order(reproducible : concurrent)
		for (int i = 0; i < 128; i++)
			a[i] += i;
	}
	for (int i = 0; i < 128; i++)
		bad += a[i] != 2 * i;
	printf("reproducible %d\n", bad);
}

int main(void)
{
	tasks();
	simd();
	letters();
	constants();
	reproducible();
}

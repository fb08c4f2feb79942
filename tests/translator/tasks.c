/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks wherever they can stand, what they share, and declare reduction. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 60

struct point {
	int x;
	double y;
};

static double results[N];
static int marks[N];

#pragma omp declare reduction(add : struct point : omp_out.x += omp_in.x, omp_out.y += omp_in.y) \
	initializer(omp_priv = {0, 0})
#pragma omp declare reduction(longest : int, long : \
		omp_out = abs((int)omp_in) > abs((int)omp_out) ? omp_in : omp_out)

static void fill(double *values, int n, int first)
{
	int i;

	for (i = 0; i < n; i++)
		values[i] = first + i;
}

static int fibonacci(int n)
{
	int i, j;

	if (n < 2)
		return n;
#pragma omp task shared(i) firstprivate(n) if (n > 4) final(n < 8)
	i = fibonacci(n - 1);
#pragma omp task shared(j)
	j = fibonacci(n - 2);
#pragma omp taskwait
	return i + j;
}

/* What each of many tasks finds in its variables, whoever runs it. */
static void independent(void)
{
	struct point shared_point = {3, 0.5};
	int sum = 0, rows[3] = {1, 2, 3};
	char word[] = "hello";

#pragma omp parallel
	{
		int mine = 5;

#pragma omp single
		{
			for (int i = 0; i < N; i++) {
				const int twice = i * 2;
				int own[3] = {i, twice, mine};
				struct point copy = shared_point;

				switch (i % 3) {
				case 0:
#pragma omp task firstprivate(rows)
				{
					double scratch[4];

					fill(scratch, 4, twice);
					copy.x++;
					rows[0]++;
					if (i == 30)
						goto out;
					results[i] = scratch[3] + own[2] + copy.x + copy.y + rows[0] +
						     word[1] + shared_point.x;
out:;
#pragma omp atomic
					sum += twice;
				}
				break;
				case 1:;
					int step = i;
#pragma omp task firstprivate(step) untied
					{
						for (int k = 0; k < 10; k++) {
							if (k == step % 10)
								continue;
							results[step] += k;
						}
						step++;
					}
					if (step != i)
						puts("a task changed what it had a copy of");
				}
				own[0]++;
				copy.x += 100;
				if (own[0] != i + 1 || twice != 2 * i)
					puts("lost a variable");
			}
#pragma omp taskgroup
			{
#pragma omp task if (mine > 3)
				marks[0] = mine;
#pragma omp task mergeable
				marks[1] = 1;
			}
			marks[2] = marks[0] + marks[1];
		}
	}
	for (int i = 0; i < N; i += 7)
		printf("%g ", results[i]);
	printf("%d %d %d %d\n", sum, rows[0], shared_point.x, marks[2]);
}

static void in_sequence(void)
{
	int chain = 1, total = 0;

#pragma omp parallel
#pragma omp single nowait
	{
#pragma omp task depend(out : chain)
		chain *= 3;
#pragma omp task depend(inout : chain)
		chain += 4;
#pragma omp task depend(in : chain)
		total = chain;
	}
	printf("%d %d\n", chain, total);
#pragma omp parallel
#pragma omp master
	{
		int i, last = 0;

#pragma omp taskloop grainsize(4) lastprivate(last) shared(total)
		for (i = 0; i < 20; i++) {
			last = i;
#pragma omp atomic
			total += i;
		}
		total += last;
#pragma omp taskyield
	}
	printf("%d\n", total);
}

static void by_every_thread(void)
{
	int i, wrong = 0;

#pragma omp parallel for reduction(+ : wrong)
	for (i = 0; i < N; i++) {
		int before = i;
#pragma omp task firstprivate(before) shared(marks)
		{
			marks[before] = before * before;
			before = -1;
		}
#pragma omp taskwait
		wrong += before != i || marks[i] != i * i;
	}
	printf("%d\n", wrong);
}

static void reductions(void)
{
	struct point point = {1, 1}, points[2] = {{0, 0}, {0, 0}};
	long far = 0;
	int i, *counts = calloc(6, sizeof *counts);
#pragma omp declare reduction(times : int : omp_out += omp_in) initializer(omp_priv = 0 * omp_orig)

#pragma omp parallel for reduction(add : point, points) reduction(longest : far) \
	reduction(times : counts[1:4])
	for (i = 0; i < N; i++) {
		point.x += i;
		point.y += 0.5;
		points[i % 2].x++;
		if (labs(far) < labs(i * 5 % 17 - 8L))
			far = i * 5 % 17 - 8;
		counts[1 + i % 4]++;
	}
	printf("%d %g %d %d %ld %d %d %d\n", point.x, point.y, points[0].x, points[1].x, labs(far),
	       counts[0], counts[1], counts[4]);
	free(counts);
}

int main(void)
{
	int result = 0;

	independent();
	in_sequence();
	by_every_thread();
	reductions();
#pragma omp parallel
#pragma omp single
	result = fibonacci(15);
	printf("%d\n", result);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * taskloop.c - how many tasks taskloop makes, what each has of its own, and what is left behind
 * them: firstprivate, lastprivate, reductions, nests, steps downwards, groups.
 */
#include <omp.h>
#include <stdio.h>
#include <time.h>

#define N 60

struct pair {
	long sum;
	int largest;
};

static void merge_pair(struct pair *into, const struct pair *from)
{
	into->sum += from->sum;
	if (from->largest > into->largest)
		into->largest = from->largest;
}

#pragma omp declare reduction(merge : struct pair : merge_pair(&omp_out, &omp_in))                 \
	initializer(omp_priv = {0, -1000})

static int marks[N], sizes[N], grid[6][7];

/* Long enough for a task to be worth handing over. */
static void linger(void)
{
	struct timespec wait = {0, 300000};

	nanosleep(&wait, NULL);
}

/* How many iterations each task has, told by the number of its first one. */
#define SHOW(words, trips)                                                                         \
	do {                                                                                       \
		for (int i = 0; i < N; i++)                                                        \
			sizes[i] = 0;                                                              \
		int first = -1;                                                                    \
		_Pragma(words) for (int i = 0; i < (trips); i++)                                   \
		{                                                                                  \
			if (first < 0)                                                             \
				first = i;                                                         \
			sizes[first]++;                                                            \
		}                                                                                  \
		for (int i = 0; i < N; i++)                                                        \
			if (sizes[i])                                                              \
				printf("%d ", sizes[i]);                                           \
		printf("| %d\n", first);                                                           \
	} while (0)

static void numbers(void)
{
	int n = 7, none = 0;

#pragma omp parallel
#pragma omp single
	{
		SHOW("omp taskloop firstprivate(first) grainsize(10)", 57);
		SHOW("omp taskloop firstprivate(first) grainsize(4)", 57);
		SHOW("omp taskloop firstprivate(first) grainsize(strict : n + 1)", 60);
		SHOW("omp taskloop firstprivate(first) grainsize(100)", 60);
		SHOW("omp taskloop firstprivate(first) num_tasks(n)", 60);
		SHOW("omp taskloop firstprivate(first) num_tasks(strict : 8) untied", 60);
		SHOW("omp taskloop firstprivate(first) num_tasks(100) if (0)", 5);
		SHOW("omp taskloop firstprivate(first) num_tasks(3) final(n)", 5);
		SHOW("omp taskloop firstprivate(first)", 60);
		SHOW("omp taskloop firstprivate(first) num_tasks(4)", none);
	}
}

static void last_values(void)
{
	int last = -1, both = 100, row[3] = {0}, i = 5, j = 6, flags[2] = {0};
	struct pair pair = {0};
	unsigned char byte;
	int *at = NULL;

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop lastprivate(last, row, pair) firstprivate(both) lastprivate(both) grainsize(9)
		for (int k = 50; k > -10; k -= 3) {
			linger();
			both++;
			last = k;
			row[1] = 2 * k;
			pair.largest = 3 * k;
		}
#pragma omp taskloop simd collapse(2) lastprivate(i, j) num_tasks(5) nogroup
		for (i = 5; i >= 0; i--)
			for (j = 0; j < 7; j++)
				grid[i][j] = 10 * i + j;
#pragma omp taskloop lastprivate(byte) if (flags[1]++) final(flags[0]++) num_tasks(4)
		for (byte = 250; byte < 255; byte++)
			marks[byte - 250] = byte;
#pragma omp taskwait
#pragma omp taskloop lastprivate(at) num_tasks(3)
		for (int *p = marks; p < marks + 5; p += 2) {
			at = p;
			++*p;
		}
	}
	printf("%d %d %d %d %d %d %d ", last, both, row[1], pair.largest, i, j, byte);
	printf("%d %d %d\n", (int)(at - marks), flags[0], flags[1]);
	for (i = 0; i < 5; i++)
		printf("%d %d ", marks[i], grid[i][i + 1]);
	putchar('\n');
}

static void reductions(void)
{
	int table[4] = {1, 1, 1, 1}, low = 1000;
	long sum = 5, product = 1, outer = 0;
	struct pair pair = {7, 7};

#pragma omp parallel
	{
		long own = 1;

#pragma omp single
		{
#pragma omp taskloop reduction(+ : sum) reduction(min : low) reduction(merge : pair) num_tasks(9)
			for (int i = 0; i < N; i++) {
				linger();
				sum += i;
				low = i - 3 < low ? i - 3 : low;
				pair.sum += 2 * i;
				pair.largest = i > pair.largest ? i : pair.largest;
			}
#pragma omp taskloop reduction(+ : table[1 : 2], own) reduction(* : product) grainsize(1)
			for (int i = 1; i <= 10; i++) {
				table[1 + i % 2] += i;
				product *= i;
				own += i;
			}
			outer += own;
#pragma omp taskgroup task_reduction(+ : outer)
			{
#pragma omp taskloop in_reduction(+ : outer) num_tasks(6) nogroup
				for (int i = 0; i < 12; i++)
					outer += i;
			}
		}
	}
	printf("%ld %d %ld %d ", sum, low, pair.sum, pair.largest);
	printf("%d %d %ld %ld\n", table[1], table[2], product, outer);
}

/* Of nodes each for itself, in functions, in tasks, in one another. */
static long nested(int n)
{
	long sum = 0;

#pragma omp taskloop reduction(+ : sum) num_tasks(3)
	for (int i = 0; i < n; i++) {
#pragma omp taskloop in_reduction(+ : sum) num_tasks(2)
		for (int j = 0; j < i; j++)
			sum += j;
	}
	return sum;
}

int main(void)
{
	long total = 0;

	numbers();
	last_values();
	reductions();
#pragma omp parallel for reduction(+ : total)
	for (int i = 0; i < 6; i++)
		total += nested(i);
#pragma omp parallel master taskloop num_tasks(3) shared(total)
	for (int i = 0; i < 6; i++) {
#pragma omp atomic
		total += i;
	}
	printf("%ld %ld\n", total, nested(9));
	return 0;
}

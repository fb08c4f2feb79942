/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task-reduction.c - task_reduction and in_reduction, reductions of taskloop and of the modifier
 * task: all operators, arrays, sections, declare reduction, groups inside groups, tasks that
 * functions make.
 */
#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N 24

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

static long global;
static double quotients[3];

/* Long enough for a task to be worth handing over. */
static void linger(void)
{
	struct timespec wait = {0, 400000};

	nanosleep(&wait, NULL);
}

static void orphan(int i)
{
#pragma omp task in_reduction(+ : global) firstprivate(i)
	{
		global += i;
#pragma omp task in_reduction(+ : global) firstprivate(i)
		global += 1000 * i;
	}
}

/* A group of its own on whichever node it runs. */
static long own_group(int i)
{
	long inner = 5;

#pragma omp taskgroup task_reduction(+ : inner)
	for (int k = 0; k < 4; k++) {
#pragma omp task in_reduction(+ : inner) firstprivate(k)
		inner += (long)i * k;
	}
	return inner;
}

static void integers(void)
{
	int sum = 3, all = -1, any = 0, odd = 0, and = 1, or = 0, low = 1000, high = -1000;
	unsigned long product = 1;
	signed char small = 100;
	unsigned short wide = 7;
	bool flag = false;

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup task_reduction(+ : sum, small, wide) task_reduction(* : product)             \
	task_reduction(& : all) task_reduction(| : any) task_reduction(^ : odd)                    \
	task_reduction(&& : and) task_reduction(|| : or, flag) task_reduction(min : low)           \
	task_reduction(max : high)
		for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : sum, small, wide) in_reduction(* : product) in_reduction(& : all) \
	in_reduction(| : any) in_reduction(^ : odd) in_reduction(&& : and)                         \
	in_reduction(|| : or, flag) in_reduction(min : low) in_reduction(max : high)
			{
				linger();
				sum += i;
				small = (signed char)(small - 3 * i);
				wide = (unsigned short)(wide + 4001 * i);
				product *= (unsigned long)(2 * i + 3);
				all &= ~(1 << i);
				any |= 1 << (i % 7);
				odd ^= i * i;
				and = and && i < 40;
				or = or || i == 17;
				flag = flag || i == 40;
				low = i * 7 % 29 - 9 < low ? i * 7 % 29 - 9 : low;
				high = i * 11 % 31 > high ? i * 11 % 31 : high;
			}
		}
		sum *= 2; /* the result is there */
	}
	printf("%d %d %hu %lu %x %x %x %d %d %d %d %d\n", sum, small, wide, product, (unsigned)all,
	       (unsigned)any, (unsigned)odd, and, or, flag, low, high);
}

static void arrays(int n)
{
	long table[4][3] = {{1}}, *heap = calloc((size_t)n, sizeof *heap);
	int vla[n];
	struct pair pair = {7, 7}, pairs[2] = {{0, 0}, {1, 1}};

	for (int i = 0; i < n; i++)
		vla[i] = i;
#pragma omp parallel shared(heap)
#pragma omp single
	{
#pragma omp taskgroup task_reduction(+ : table, heap[2 : n - 4]) task_reduction(merge : pair, pairs)
		for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : table, heap[2 : n - 4]) in_reduction(merge : pair, pairs)
			{
				linger();
				table[i % 4][i % 3] += i;
				table[3][2]--;
				for (int k = 2; k < n - 2; k++)
					heap[k] += i * k;
				merge_pair(&pair, &(struct pair){i, i * 5 % 23});
				merge_pair(&pairs[i % 2], &(struct pair){i * i, -i});
			}
		}
		printf("%ld %ld", table[1][1], heap[3]);
#pragma omp taskgroup task_reduction(+ : vla)
		for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : vla)
			vla[i % n] += i;
		}
		/* A section that moves with the loop. */
		for (int i = 0; i < 4; i++) {
#pragma omp taskgroup task_reduction(max : heap[i : 2])
			{
				int at = i;
#pragma omp task in_reduction(max : heap[at : 2])
				{
					linger();
					heap[at] = 100 + at;
				}
				at = 0;
#pragma omp task in_reduction(max : heap[i : 2])
				heap[i + 1] = 50 * i;
			}
		}
	}
	for (int i = 0; i < 4; i++)
		printf(" | %ld %ld %ld", table[i][0], table[i][1], table[i][2]);
	for (int i = 0; i < n; i++)
		printf(" %ld %d", heap[i], vla[i]);
	printf("\n%ld %d %ld %d %ld %d\n", pair.sum, pair.largest, pairs[0].sum, pairs[0].largest,
	       pairs[1].sum, pairs[1].largest);
	free(heap);
}

/* Powers of two: exact in any order. */
static void floats(void)
{
	double sum = 0.5, smallest = INFINITY;
	float product = 1;
	long double wide = 0;
	double _Complex turn = 1;

#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum, wide, quotients) task_reduction(* : product, turn)   \
	task_reduction(min : smallest)
	for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : sum, wide, quotients) in_reduction(* : product, turn)            \
	in_reduction(min : smallest)
		{
			linger();
			sum += i * 0.25;
			wide += ldexpl(1, i);
			quotients[i % 3] += 1.0 / (1 << i % 5);
			product *= i % 2 ? 2.0f : 0.5f;
			turn *= __builtin_complex(0.0, 1.0);
			smallest = fmin(smallest, 10 - i);
		}
	}
	printf("%g %Lg %g %g %g %g %g%+gi %g\n", sum, wide, quotients[0], quotients[1],
	       quotients[2], (double)product, __real__ turn, __imag__ turn + 1, smallest);
}

static void groups(void)
{
	int outer = 0, middle = 0, seen = 0;
	long results[N];

	global = 1;
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup task_reduction(+ : outer, global)
		{
			for (int i = 0; i < N; i++) {
				orphan(i);
#pragma omp task in_reduction(+ : outer)
				{
					linger();
					outer += i;
					orphan(1000 * i);
					results[i] = own_group(i);
				}
#pragma omp task if (i % 5) final(i % 3 == 0) in_reduction(+ : outer)
				outer += 100 * i;
			}
#pragma omp taskgroup task_reduction(+ : middle)
			{
				for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : middle) in_reduction(+ : outer)
					{
						linger();
						middle += i;
						outer++;
					}
				}
			}
			seen = middle;
		}
		seen += outer;
	}
	for (int i = 1; i < N; i++)
		results[0] = results[0] * 3 % 1000003 + results[i];
	printf("%d %d %d %ld %ld\n", outer, middle, seen, global, results[0]);
}

static void others(void)
{
	int loops = 0, inside = 0, team = 0, shares = 0;

	global = 0;
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop reduction(+ : loops) grainsize(3)
		for (int i = 0; i < N; i++) {
			loops += i;
		}
#pragma omp taskgroup task_reduction(+ : inside)
		{
#pragma omp taskloop in_reduction(+ : inside) num_tasks(5)
			for (int i = 0; i < N; i++)
				inside += 2 * i;
#pragma omp task in_reduction(+ : inside)
			inside += 10000;
		}
	}
#pragma omp parallel reduction(task, + : team, global)
	{
		team += 1;
#pragma omp single
		for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : team)
			team += i;
			orphan(i);
		}
#pragma omp single
		team -= omp_get_num_threads() - 1;
	}
#pragma omp parallel for reduction(task, + : shares)
	for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : shares)
		shares += i;
	}
	printf("%d %d %d %d %ld\n", loops, inside, team, shares, global);
}

int main(void)
{
	integers();
	arrays(9);
	floats();
	groups();
	others();
	return 0;
}

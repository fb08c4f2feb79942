/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clauses.c - the clauses of OpenMP 3.1. */
#include <omp.h>

#include "check.h"

#define N 60

static int threads, marks[N], copied;
#pragma omp threadprivate(copied)

static int all_marked(void)
{
	int right = 1;

	for (int i = 0; i < N; i++) {
		right &= marks[i] == 1;
		marks[i] = 0;
	}
	return right;
}

static int if_parallel(void)
{
	int serial = 0, team = 0;

#pragma omp parallel if (threads < 0)
	serial = omp_get_num_threads();
#pragma omp parallel if (threads > 0)
	team = omp_get_num_threads();
	return serial == 1 && team == threads;
}

static int num_threads(void)
{
	int one = 0, all = 0;

#pragma omp parallel num_threads(1) reduction(+ : one)
	one++;
#pragma omp parallel num_threads(threads) reduction(+ : all)
	all++;
	return one == 1 && all == threads;
}

static int default_shared(void)
{
	int a = 0;

#pragma omp parallel default(shared)
	{
#pragma omp critical
		a++;
	}
	return a == threads;
}

static int default_none(void)
{
	int a = 0, b = 2;

#pragma omp parallel default(none) shared(a) firstprivate(b)
	{
#pragma omp critical
		a += b;
	}
	return a == 2 * threads;
}

static int private(void)
{
	int a = 7, wrong = 0;

#pragma omp parallel private(a) reduction(+ : wrong)
	{
		a = omp_get_thread_num();
#pragma omp barrier
		wrong += a != omp_get_thread_num();
	}
	return !wrong && a == 7;
}

static int firstprivate(void)
{
	int a[3] = {1, 2, 3}, wrong = 0;

#pragma omp parallel firstprivate(a) reduction(+ : wrong)
	{
		wrong += a[2] != 3;
		a[2] = omp_get_thread_num();
#pragma omp barrier
		wrong += a[2] != omp_get_thread_num();
	}
	return !wrong && a[2] == 3;
}

static int lastprivate(void)
{
	int a = -1, b = -1, i;

#pragma omp parallel for lastprivate(a, i)
	for (i = 0; i < N; i++)
		a = i * 2;
#pragma omp parallel sections lastprivate(b)
	{
#pragma omp section
		b = 1;
#pragma omp section
		b = 2;
	}
	return a == 2 * (N - 1) && i == N && b == 2;
}

static int shared(void)
{
	int a[8] = {0}, sum = 0;

#pragma omp parallel shared(a)
	{
#pragma omp for
		for (int i = 0; i < 8; i++)
			a[i] = i;
	}
	for (int i = 0; i < 8; i++)
		sum += a[i];
	return sum == 28;
}

static int copyin(void)
{
	int sum = 0;

	copied = 9;
#pragma omp parallel copyin(copied) reduction(+ : sum)
	sum += copied;
	return sum == 9 * threads;
}

static int copyprivate(void)
{
	int sum = 0;

#pragma omp parallel reduction(+ : sum)
	{
		int a = 0;

#pragma omp single copyprivate(a)
		a = 6;
		sum += a;
	}
	return sum == 6 * threads;
}

static int arithmetic(void)
{
	int sum = 10, difference = 10, largest = -5, smallest = 500;
	long product = 1;

#pragma omp parallel for reduction(+ : sum) reduction(- : difference) reduction(* : product)       \
	reduction(max : largest) reduction(min : smallest)
	for (int i = 1; i <= 12; i++) {
		sum += i;
		difference -= i;
		product *= i;
		largest = i * 7 % 13 > largest ? i * 7 % 13 : largest;
		smallest = i + 3 < smallest ? i + 3 : smallest;
	}
	return sum == 88 && difference == -68 && product == 479001600 && largest == 12 &&
	       smallest == 4;
}

static int logical(void)
{
	int all = 1, any = 0, and = ~0, or = 0, xor = 5;

#pragma omp parallel for reduction(&& : all) reduction(|| : any) reduction(& : and)                \
	reduction(| : or) reduction(^ : xor)
	for (int i = 0; i < 16; i++) {
		all = all && i < 15;
		any = any || i == 9;
		and &= ~(1 << i % 4);
		or |= i;
		xor ^= i;
	}
	return !all && any && and == ~15 && or == 15 && xor == 5;
}

static int static_schedule(void)
{
	int by[N], wrong = 0;

#pragma omp parallel for schedule(static, 3)
	for (int i = 0; i < N; i++)
		by[i] = omp_get_thread_num();
	for (int i = 0; i < N; i++)
		wrong += by[i] != i / 3 % threads;
#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i++)
		marks[i]++;
	return all_marked() && !wrong;
}

static int dynamic(void)
{
	int by[N], wrong = 0;

#pragma omp parallel for schedule(dynamic, 4)
	for (int i = 0; i < N; i++)
		by[i] = omp_get_thread_num();
	for (int i = 0; i < N; i++)
		wrong += i % 4 && by[i] != by[i - 1];
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < N; i++)
		marks[i]++;
	return all_marked() && !wrong;
}

static int guided(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(guided) nowait
		for (int i = 0; i < N / 2; i++)
			marks[i]++;
#pragma omp for schedule(guided, 5)
		for (int i = N / 2; i < N; i++)
			marks[i]++;
	}
	return all_marked();
}

static int automatic(void)
{
#pragma omp parallel for schedule(auto)
	for (int i = 0; i < N; i++)
		marks[i]++;
	return all_marked();
}

static int runtime(void)
{
	int by[N], wrong = 0;

	omp_set_schedule(omp_sched_static, 2);
#pragma omp parallel for schedule(runtime)
	for (int i = 0; i < N; i++)
		by[i] = omp_get_thread_num();
	for (int i = 0; i < N; i++)
		wrong += by[i] != i / 2 % threads;
	return !wrong;
}

static int collapse(void)
{
#pragma omp parallel for collapse(3)
	for (int i = 0; i < 3; i++)
		for (int j = 4; j > 0; j--)
			for (int k = 0; k < 10; k += 2)
				marks[(i * 4 + j - 1) * 5 + k / 2]++;
	return all_marked();
}

static int ordered(void)
{
	int order[N], next = 0, wrong = 0;

#pragma omp parallel for ordered
	for (int i = 0; i < N; i++) {
#pragma omp ordered
		order[next++] = i;
	}
	for (int i = 0; i < N; i++)
		wrong += order[i] != i;
	return !wrong;
}

static int nowait(void)
{
	int a = 0;

#pragma omp parallel
	{
#pragma omp for nowait
		for (int i = 0; i < N; i++)
			marks[i]++;
#pragma omp sections nowait
		{
#pragma omp section
			a++;
		}
#pragma omp single nowait
		a += 0 * omp_get_thread_num();
	}
	return all_marked() && a == 1;
}

static int if_task(void)
{
	int order = 0, inside = 0, behind = 0;

#pragma omp parallel
	{
#pragma omp single
		{
#pragma omp task if (0)
			inside = ++order;
			behind = ++order;
		}
	}
	return inside == 1 && behind == 2;
}

static int final(void)
{
	int in_final = 0, in_child = 0, not_final = 1;

#pragma omp parallel
	{
#pragma omp single
		{
#pragma omp task final(1)
			{
				in_final = omp_in_final();
#pragma omp task shared(in_child)
				in_child = omp_in_final();
			}
#pragma omp task final(0)
			not_final = omp_in_final();
		}
	}
	return in_final && in_child && !not_final;
}

static int untied_mergeable(void)
{
	int a = 0, b = 0;

#pragma omp parallel
	{
#pragma omp single
		{
#pragma omp task untied
			a = 1;
#pragma omp task mergeable
			b = 2;
		}
	}
	return a == 1 && b == 2;
}

static int task_data(void)
{
	int results[5], p = 3;

#pragma omp parallel
	{
#pragma omp single
		for (int i = 0; i < 5; i++) {
			int mine = i * i;

#pragma omp task firstprivate(mine) private(p) shared(results) default(none) firstprivate(i)
			{
				p = mine + 1;
				results[i] = p;
			}
			mine = -1;
		}
	}
	return results[0] == 1 && results[4] == 17 && p == 3;
}

static const struct check checks[] = {
	{"if (parallel)", if_parallel},
	{"num_threads", num_threads},
	{"default(shared)", default_shared},
	{"default(none)", default_none},
	{"private", private},
	{"firstprivate", firstprivate},
	{"lastprivate", lastprivate},
	{"shared", shared},
	{"copyin", copyin},
	{"copyprivate", copyprivate},
	{"reduction(+ - * max min)", arithmetic},
	{"reduction(& | ^ && ||)", logical},
	{"schedule(static)", static_schedule},
	{"schedule(dynamic)", dynamic},
	{"schedule(guided)", guided},
	{"schedule(auto)", automatic},
	{"schedule(runtime)", runtime},
	{"collapse", collapse},
	{"ordered (clause)", ordered},
	{"nowait", nowait},
	{"if (task)", if_task},
	{"final", final},
	{"untied, mergeable", untied_mergeable},
	{"default, private, firstprivate, shared (task)", task_data},
};

int main(void)
{
	threads = omp_get_max_threads();
	return CHECK_ALL(checks);
}

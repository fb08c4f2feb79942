/* SPDX-License-Identifier: GPL-2.0-or-later */
/* later.c - what OpenMP 4 and 5 have added, and CAPE accepts. */
#include <omp.h>

#include "check.h"

#define N 60

struct pair {
	int least, most;
};

static void widen(struct pair *into, const struct pair *from)
{
	into->least = from->least < into->least ? from->least : into->least;
	into->most = from->most > into->most ? from->most : into->most;
}

#pragma omp declare reduction(widen                                                                \
			      : struct pair                                                        \
			      : widen(&omp_out, &omp_in)) initializer(omp_priv = {1000, -1000})

static int threads, marks[N];

static int all_marked(void)
{
	int right = 1;

	for (int i = 0; i < N; i++) {
		right &= marks[i] == 1;
		marks[i] = 0;
	}
	return right;
}

static int declare_reduction(void)
{
	struct pair pair = {50, 50};

#pragma omp parallel for reduction(widen : pair)
	for (int i = 0; i < N; i++) {
		int value = i * 7 % N;

		pair.least = value < pair.least ? value : pair.least;
		pair.most = value > pair.most ? value : pair.most;
	}
	return pair.least == 0 && pair.most == N - 1;
}

static int taskgroup(void)
{
	int sum = 0, seen = 0;

#pragma omp parallel
	{
#pragma omp single
		{
#pragma omp taskgroup
			for (int i = 1; i <= 4; i++) {
#pragma omp task
				{
#pragma omp task
					{
#pragma omp atomic
						sum += i;
					}
				}
			}
			seen = sum;
		}
	}
	return seen == 10;
}

static int depend(void)
{
	int a = 1, b = 0;

#pragma omp parallel
	{
#pragma omp single
		{
#pragma omp task depend(out : a)
			a = 5;
#pragma omp task depend(in : a) depend(out : b)
			b = a + 1;
#pragma omp task depend(inout : a, b)
			a += b;
#pragma omp taskwait
		}
	}
	return a == 11 && b == 6;
}

static int taskloop(void)
{
	int last = 0;

#pragma omp parallel
	{
#pragma omp single
		{
#pragma omp taskloop lastprivate(last) grainsize(7) nogroup
			for (int i = 0; i < N; i++) {
				marks[i]++;
				last = i;
			}
#pragma omp taskwait
		}
	}
	return all_marked() && last == N - 1;
}

/* The first iteration of each task counts it. */
static int taskloop_tasks(void)
{
	int first = 1, tasks = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop firstprivate(first) grainsize(7)
		for (int i = 0; i < 24; i++) {
#pragma omp atomic
			tasks += first;
			first = 0;
		}
#pragma omp taskloop firstprivate(first) num_tasks(8)
		for (int i = 0; i < 24; i++) {
#pragma omp atomic
			tasks += 100 * first;
			first = 0;
		}
	}
	return tasks == 803;
}

/* Asked for in a function: gcc takes no other routines directly in teams. */
static int is_limited(void)
{
	return omp_get_num_teams() == 1 && omp_get_team_num() == 0 && omp_get_thread_limit() == 2;
}

static int teams_limits(void)
{
	int right = 0, largest = 0;

#pragma omp teams num_teams(1) thread_limit(2)
	{
		right = is_limited();
#pragma omp parallel reduction(max : largest)
		largest = omp_get_num_threads();
	}
	return right && largest <= 2;
}

static int task_reduction(void)
{
	int sum = 0;

#pragma omp parallel
	{
#pragma omp single
		{
#pragma omp taskgroup task_reduction(+ : sum)
			for (int i = 0; i < 5; i++) {
#pragma omp task in_reduction(+ : sum)
				sum += i;
			}
		}
	}
	return sum == 10;
}

static int priority(void)
{
	int sum = 0;

#pragma omp parallel
	{
#pragma omp single
		{
#pragma omp task priority(3)
			sum += 3;
#pragma omp taskwait
		}
	}
	return sum == 3;
}

#pragma omp declare simd uniform(b)
static int add(int a, int b)
{
	return a + b;
}

static int simd(void)
{
	int sum = 0, linear = 3;

#pragma omp simd safelen(4) simdlen(4) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += add(i, 1);
#pragma omp simd linear(linear : 2)
	for (int i = 0; i < N; i++) {
		marks[i] += linear == 3 + 2 * i;
		linear += 2;
	}
	return sum == N * (N + 1) / 2 && linear == 3 + 2 * N && all_marked();
}

static int for_simd(void)
{
	int sum = 0;

#pragma omp parallel
	{
#pragma omp for simd schedule(simd : static, 4) aligned(marks)
		for (int i = 0; i < N; i++)
			marks[i]++;
	}
#pragma omp parallel for simd reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += i;
	return sum == N * (N - 1) / 2 && all_marked();
}

static int loop(void)
{
#pragma omp parallel
	{
#pragma omp loop bind(parallel)
		for (int i = 0; i < N / 2; i++)
			marks[i]++;
#pragma omp for order(concurrent)
		for (int i = N / 2; i < N; i++)
			marks[i]++;
	}
	return all_marked();
}

static int masked(void)
{
	int times = 0, who = -1;

#pragma omp parallel
	{
#pragma omp masked
		{
			times++;
			who = omp_get_thread_num();
		}
	}
#pragma omp parallel master
	times++;
	return times == 2 && who == 0;
}

static int filter(void)
{
	int who = -1;

#pragma omp parallel
	{
#pragma omp masked filter(threads - 1)
		who = omp_get_thread_num();
	}
	return who == threads - 1;
}

static int scope(void)
{
	int sum = 0;

#pragma omp parallel
	{
#pragma omp scope reduction(+ : sum)
		sum += omp_get_thread_num() + 1;
	}
	return sum == threads * (threads + 1) / 2;
}

static int proc_bind(void)
{
	int count = 0;

#pragma omp parallel proc_bind(close) reduction(+ : count)
	count++;
	return count == threads;
}

static int if_names(void)
{
	int count = 0;

#pragma omp parallel if (parallel : threads > 0) reduction(+ : count)
	count++;
	return count == threads;
}

static int modifiers(void)
{
#pragma omp parallel for schedule(monotonic : dynamic, 3)
	for (int i = 0; i < N; i++)
		marks[i]++;
	return all_marked();
}

static int not_equal(void)
{
#pragma omp parallel for
	for (int i = 0; i != N; i++)
		marks[i]++;
	return all_marked();
}

static int array_reduction(void)
{
	int array[6] = {0}, part[10] = {0}, sum = 0;

#pragma omp parallel for reduction(+ : array, part [2:5])
	for (int i = 0; i < N; i++) {
		array[i % 6] += i;
		part[2 + i % 5]++;
	}
	for (int i = 0; i < 6; i++)
		sum += array[i];
	return sum == N * (N - 1) / 2 && part[2] == N / 5 && part[7] == 0;
}

static int memory_orders(void)
{
	int a = 0, seen = 0;

#pragma omp parallel
	{
#pragma omp atomic seq_cst
		a++;
#pragma omp atomic update relaxed
		a += 2;
#pragma omp atomic capture acq_rel
		seen = a += 3;
#pragma omp flush acquire
#pragma omp flush release
	}
	return a == 6 * threads && seen > 0;
}

static int atomic_compare(void)
{
	int largest = 0;

#pragma omp parallel for
	for (int i = 0; i < N; i++) {
#pragma omp atomic compare
		if (largest < i) {
			largest = i;
		}
	}
	return largest == N - 1;
}

static int hints(void)
{
	int a = 0;

#pragma omp parallel
	{
#pragma omp critical(name) hint(omp_sync_hint_contended)
		a++;
	}
	return a == threads;
}

static int cancel(void)
{
	int done = 0;

#pragma omp parallel
	{
#pragma omp for reduction(+ : done)
		for (int i = 0; i < N; i++) {
#pragma omp cancel for if (i == 10)
			done++;
#pragma omp cancellation point for
		}
	}
	return done == N && !omp_get_cancellation();
}

static int nothing(void)
{
	int a = 1;

#pragma omp nothing
	a++;
	return a == 2;
}

static int queries(void)
{
	return omp_get_num_teams() == 1 && omp_get_team_num() == 0 && omp_get_num_places() >= 0 &&
	       omp_get_proc_bind() >= 0 && omp_get_max_task_priority() >= 0 &&
	       omp_get_supported_active_levels() >= 1;
}

static int device_queries(void)
{
	omp_set_default_device(0);
	return omp_is_initial_device() && omp_get_num_devices() == 0 &&
	       omp_get_default_device() == 0 && omp_get_initial_device() <= omp_get_num_devices();
}

static int linear(void)
{
	int at = 3, list[N];

#pragma omp parallel for linear(at : 2)
	for (int i = 0; i < N; i++) {
		list[i] = at;
		at += 2;
	}
	for (int i = 0; i < N; i++)
		marks[i] = list[i] == 3 + 2 * i;
	return all_marked() && at == 3 + 2 * N;
}

static int pause_resource(void)
{
	int inside = 0;

#pragma omp parallel reduction(+ : inside)
	inside += omp_pause_resource_all(omp_pause_soft) != 0;
	return inside == threads &&
	       omp_pause_resource(omp_pause_hard, omp_get_initial_device()) == 0 &&
	       omp_pause_resource_all(omp_pause_soft) == 0;
}

static int allocators(void)
{
	omp_alloctrait_t traits[] = {{omp_atk_alignment, 256}, {omp_atk_access, omp_atv_all}};
	omp_alloctrait_t small[] = {{omp_atk_pool_size, 64}, {omp_atk_fallback, omp_atv_null_fb}};
	omp_alloctrait_t wrong[] = {{omp_atk_alignment, 3}};
	omp_allocator_handle_t wide, pool;
	int right;
	char *block;

	wide = omp_init_allocator(omp_default_mem_space, 2, traits);
	pool = omp_init_allocator(omp_default_mem_space, 2, small);
	right = omp_get_default_allocator() == omp_default_mem_alloc;
	right &= omp_init_allocator(omp_default_mem_space, 1, wrong) == omp_null_allocator;
	omp_set_default_allocator(wide);
	right &= omp_get_default_allocator() == wide;
	block = omp_alloc(10, omp_null_allocator);
	right &= block && (unsigned long)block % 256 == 0;
	omp_free(block, omp_null_allocator);
	omp_set_default_allocator(omp_default_mem_alloc);
	right &= !omp_alloc(65, pool);
	block = omp_alloc(32, pool);
	right &= block != 0;
	omp_free(block, pool);
	omp_destroy_allocator(pool);
	omp_destroy_allocator(wide);
	return right;
}

static int allocated(void)
{
	int *list = omp_calloc(N, sizeof(*list), omp_default_mem_alloc), right = list != 0;
	char *aligned = omp_aligned_alloc(1024, 100, omp_default_mem_alloc);

	right &= (unsigned long)aligned % 1024 == 0;
	omp_free(aligned, omp_default_mem_alloc);
	aligned = omp_aligned_calloc(512, 10, 10, omp_default_mem_alloc);
	right &= (unsigned long)aligned % 512 == 0 && aligned[99] == 0;
	omp_free(aligned, omp_null_allocator);
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		list[i]++;
	list = omp_realloc(list, 2 * N * sizeof(*list), omp_default_mem_alloc,
			   omp_default_mem_alloc);
	for (int i = 0; i < N; i++)
		right &= list[i] == 1;
	omp_free(list, omp_default_mem_alloc);
	return right && !omp_alloc(0, omp_default_mem_alloc);
}

static int target(void)
{
	int sum = 0, array[N];

#pragma omp target map(tofrom : sum) map(from : array)
	for (int i = 0; i < N; i++) {
		array[i] = i;
		sum += i;
	}
#pragma omp target data map(tofrom : array)
	{
#pragma omp target update to(array)
	}
	return sum == N * (N - 1) / 2 && array[N - 1] == N - 1;
}

static int teams(void)
{
	int sum = 0;

#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
	for (int i = 0; i < N; i++) {
		marks[i]++;
		sum += i;
	}
	return sum == N * (N - 1) / 2 && all_marked();
}

static const struct check checks[] = {
	{"declare reduction", declare_reduction},
	{"taskgroup", taskgroup},
	{"depend", depend},
	{"taskloop", taskloop},
	{"num_teams, thread_limit", teams_limits},
	{"grainsize, num_tasks", taskloop_tasks},
	{"task_reduction, in_reduction", task_reduction},
	{"priority", priority},
	{"simd, declare simd", simd},
	{"for simd, parallel for simd", for_simd},
	{"linear", linear},
	{"loop, order(concurrent)", loop},
	{"masked, parallel master", masked},
	{"filter", filter},
	{"scope", scope},
	{"proc_bind", proc_bind},
	{"if(parallel: condition)", if_names},
	{"schedule(monotonic: ...)", modifiers},
	{"!= in a loop's condition", not_equal},
	{"reduction of arrays and sections", array_reduction},
	{"seq_cst, acq_rel, acquire, release, relaxed", memory_orders},
	{"atomic compare", atomic_compare},
	{"hint", hints},
	{"cancel, cancellation point", cancel},
	{"nothing", nothing},
	{"omp_get_num_teams, omp_get_team_num, omp_get_num_places, omp_get_proc_bind, "
	 "omp_get_max_task_priority, omp_get_supported_active_levels",
	 queries},
	{"omp_is_initial_device, omp_get_num_devices, omp_get_default_device, "
	 "omp_set_default_device, omp_get_initial_device",
	 device_queries},
	{"omp_pause_resource, omp_pause_resource_all", pause_resource},
	{"omp_init_allocator, omp_destroy_allocator, omp_set_default_allocator, "
	 "omp_get_default_allocator",
	 allocators},
	{"omp_alloc, omp_aligned_alloc, omp_calloc, omp_aligned_calloc, omp_realloc, omp_free",
	 allocated},
	{"target, target data, target update", target},
	{"teams, distribute", teams},
};

int main(void)
{
	threads = omp_get_max_threads();
	return CHECK_ALL(checks);
}

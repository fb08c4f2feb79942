// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tasks.c - tasks by threads of one process: made, stolen, waited for, ordered.  Built a second
 * time with -fsanitize=thread (tasks-tsan).
 */
#include "threads/worker.h"
#include "team.h"

#define FIB	20
#define DEPTH	5u
#define CELLS	8u
#define CHAIN	400u
#define LARGE	5000u
#define ALIGNED 64u

void cape_gomp_task(void (*body)(void *data), void *data, void (*copy)(void *to, void *from),
		    long size, long alignment, bool condition, unsigned int flags, void **depend,
		    int priority, void *detach);

static void make_aligned(int flags, void (*body)(void *data), void *data, size_t size,
			 size_t alignment, void (*copy)(void *to, void *from))
{
	cape_task_next(0, flags);
	cape_gomp_task(body, data, copy, (long)size, (long)alignment, true, 0, NULL, 0, NULL);
}

static void make(int flags, void (*body)(void *data), void *data, size_t size)
{
	make_aligned(flags, body, data, size, 8, NULL);
}

static bool begin_single(void)
{
	cape_begin(CAPE_SINGLE, 0, 0);
	ckpt_start();
	return cape_single();
}

static void end_single(void)
{
	cape_tasks_run();
	cape_end(CAPE_SINGLE, 0);
}

static unsigned long done(void)
{
	return __atomic_load_n(&total, __ATOMIC_RELAXED);
}

static void do_numbered(void *data)
{
	expect(omp_in_explicit_task() && !omp_in_final());
	count(&seen[*(unsigned *)data]);
	__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
}

/* Tasks that one thread makes; more of them than are kept. */
static void body_of_many(void *data)
{
	(void)data;
	if (begin_single())
		for (unsigned i = 0; i < ITERATIONS; i++) {
			make(0, do_numbered, &i, sizeof(i));
			if (i == ITERATIONS / 2) {
				cape_taskwait();
				expect(done() == ITERATIONS / 2 + 1);
			}
		}
	end_single();
	expect(done() == ITERATIONS && !omp_in_explicit_task());
}

/* Tasks inside tasks, that nobody waits for but the barrier. */
static void do_tree(void *data)
{
	unsigned depth = *(unsigned *)data;

	__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
	if (depth--)
		for (unsigned i = 0; i < 3; i++)
			make(0, do_tree, &depth, sizeof(depth));
}

#define TREE ((3ul * 3 * 3 * 3 * 3 * 3 - 1) / 2)

static void body_of_trees(void *data)
{
	unsigned depth = DEPTH;

	(void)data;
	for (unsigned round = 1; round <= 3; round++) {
		make(0, do_tree, &depth, sizeof(depth));
		cape_barrier();
		expect(done() == round * team * TREE);
		cape_barrier();
	}
	make(0, do_tree, &depth, sizeof(depth));
}

static void check_trees(void)
{
	assert_int_equal(total, 4ul * team * TREE);
}

struct fib {
	unsigned n;
	unsigned long *to;
};

static unsigned long fib(unsigned n);

static void do_fib(void *data)
{
	const struct fib *fibonacci = data;

	*fibonacci->to = fib(fibonacci->n);
}

static unsigned long fib(unsigned n)
{
	unsigned long one, two;

	if (n < 2)
		return n;
	make(n < 4 ? CAPE_TASK_FINAL : 0, do_fib, &(struct fib){n - 1, &one}, sizeof(struct fib));
	make(n == 10 ? CAPE_TASK_UNDEFERRED : 0, do_fib, &(struct fib){n - 2, &two},
	     sizeof(struct fib));
	cape_taskwait();
	return one + two;
}

static void body_of_fib(void *data)
{
	(void)data;
	if (begin_single())
		total = fib(FIB);
	end_single();
}

static void check_fib(void)
{
	assert_int_equal(total, 6765);
}

/* A group waits for all that comes from it, and a taskwait in it for what was made before it. */
static void body_of_groups(void *data)
{
	unsigned depth = DEPTH, zero = 0;

	(void)data;
	if (begin_single()) {
		make(0, do_numbered, &zero, sizeof(zero));
		cape_taskgroup_begin();
		cape_taskwait();
		expect(seen[0] == 1 && done() == 1);
		make(0, do_tree, &depth, sizeof(depth));
		cape_taskgroup_begin();
		make(0, do_tree, &depth, sizeof(depth));
		cape_taskgroup_end();
		expect(done() > TREE);
		cape_taskgroup_end();
		expect(done() == 2 * TREE + 1);
	}
	end_single();
}

static void check_groups(void)
{
	assert_int_equal(total, 2 * TREE + 1);
}

/* In cells that nothing but the dependences protects. */
static unsigned long cell[CELLS];

struct step {
	unsigned long *cell, before;
	unsigned times;
};

static void do_write(void *data)
{
	const struct step *step = data;

	expect(*step->cell == step->before);
	*step->cell = step->before + 1;
}

static void do_read(void *data)
{
	const struct step *step = data;

	expect(*step->cell == step->before);
	__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
}

static void do_all(void *data)
{
	const struct step *step = data;

	for (unsigned i = 0; i < CELLS; i++)
		expect(cell[i] == step->before);
}

static void make_ordered(enum cape_depend kind, int flags, void (*body)(void *data),
			 struct step step)
{
	cape_task_depend(kind, step.cell);
	make(CAPE_TASK_DEPENDS | flags, body, &step, sizeof(step));
}

static void body_of_chains(void *data)
{
	(void)data;
	if (begin_single())
		for (unsigned i = 0; i < CHAIN; i++) {
			int flags = i % 64 == 63 ? CAPE_TASK_UNDEFERRED : 0;

			for (unsigned j = 0; j < CELLS; j++) {
				make_ordered(CAPE_DEPEND_OUT, flags, do_write,
					     (struct step){&cell[j], i, 0});
				for (unsigned k = 0; k < j % 3; k++)
					make_ordered(CAPE_DEPEND_IN, 0, do_read,
						     (struct step){&cell[j], i + 1, 0});
			}
			if (i % 100 == 50)
				make_ordered(CAPE_DEPEND_OUT, 0, do_all,
					     (struct step){NULL, i + 1, 0});
			if (i % 100 == 80) {
				cape_taskwait();
				expect(cell[0] == i + 1);
			}
		}
	end_single();
}

static void check_chains(void)
{
	for (unsigned i = 0; i < CELLS; i++)
		assert_int_equal(cell[i], CHAIN);
	assert_int_equal(total, CHAIN * 7);
	memset(cell, 0, sizeof(cell));
}

/* Two cells at a time, in tasks of all members: each has dependences of its own. */
static void do_two(void *data)
{
	const struct step *step = data;

	expect(step->cell[0] == step->before && step->cell[1] == step->before);
	step->cell[0]++;
	step->cell[1]++;
}

static void body_of_own_chains(void *data)
{
	unsigned long own[2] = {0, 0};

	(void)data;
	for (unsigned i = 0; i < CHAIN; i++) {
		struct step step = {own, i, 0};

		cape_task_depend(CAPE_DEPEND_IN, &own[0]);
		cape_task_depend(CAPE_DEPEND_OUT, &own[1]);
		cape_task_depend(CAPE_DEPEND_OUT, &own[0]);
		make(CAPE_TASK_DEPENDS, do_two, &step, sizeof(step));
	}
	cape_taskwait();
	expect(own[0] == CHAIN && own[1] == CHAIN);
}

/* In a final task all run at once, by the same thread. */
static void do_inside_final(void *data)
{
	expect(omp_in_final() && omp_get_thread_num() == *(int *)data);
	__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
}

static void do_final(void *data)
{
	unsigned long inside = 0;
	int thread = omp_get_thread_num();

	(void)data;
	expect(omp_in_final());
	omp_set_schedule(omp_sched_dynamic, 9);
	for (unsigned i = 0; i < 5; i++) {
		make(0, do_inside_final, &thread, sizeof(thread));
		inside++;
	}
	expect(inside == 5);
}

static void body_of_finals(void *data)
{
	omp_sched_t kind;
	int chunk;

	(void)data;
	for (unsigned i = 0; i < 10; i++)
		make(CAPE_TASK_FINAL, do_final, NULL, 0);
	cape_taskwait();
	omp_get_schedule(&kind, &chunk);
	expect(kind == omp_sched_static && !omp_in_final());
}

static void check_finals(void)
{
	assert_int_equal(total, 50ul * team);
}

/*
 * Who waits while it holds a lock runs nothing but what comes from its own task: others of those
 * tasks want the lock, too.
 */
static void do_nothing(void *data)
{
	(void)data;
	__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
}

static void do_holding(void *data)
{
	(void)data;
	cape_critical_begin("held");
	for (unsigned i = 0; i < 4; i++)
		make(0, do_nothing, NULL, 0);
	cape_taskwait();
	cape_critical_end("held");
}

static void body_of_holders(void *data)
{
	(void)data;
	for (unsigned i = 0; i < 20; i++)
		make(0, do_holding, NULL, 0);
}

static void check_holders(void)
{
	assert_int_equal(total, 80ul * team);
}

/* Values that are large, or want a place of their own, or a function that copies them. */
struct large {
	unsigned number[LARGE];
};

static void do_large(void *data)
{
	const struct large *large = data;

	for (unsigned i = 0; i < LARGE; i++)
		expect(large->number[i] == large->number[0] + i);
	do_nothing(NULL);
}

static void do_aligned(void *data)
{
	expect((uintptr_t)data % ALIGNED == 0 && *(unsigned *)data == 7);
	do_nothing(NULL);
}

static void copy_doubled(void *to, void *from)
{
	*(unsigned *)to = 2 * *(unsigned *)from;
}

static void do_doubled(void *data)
{
	expect(*(unsigned *)data == 14);
	do_nothing(NULL);
}

static void body_of_values(void *data)
{
	static const int flags[] = {0, CAPE_TASK_UNDEFERRED, CAPE_TASK_FINAL};
	struct large large;
	unsigned _Alignas(ALIGNED) seven = 7;

	(void)data;
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned j = 0; j < LARGE; j++)
			large.number[j] = i + j;
		make(flags[i], do_large, &large, sizeof(large));
		make_aligned(flags[i], do_aligned, &seven, sizeof(seven), ALIGNED, NULL);
		make_aligned(flags[i], do_doubled, &seven, sizeof(seven), 4, copy_doubled);
		memset(&large, 0, sizeof(large));
	}
}

static void check_values(void)
{
	assert_int_equal(total, 9ul * team);
}

/* Parts that tasks have of variables of the group, and of the region where none has them. */
struct range {
	unsigned long count;
	unsigned least, most;
};

static struct range range;
static unsigned long of_region[3];

static void widen(void *out, const void *in)
{
	const struct range *part = in;
	struct range *whole = out;

	whole->count += part->count;
	if (part->least < whole->least)
		whole->least = part->least;
	if (part->most > whole->most)
		whole->most = part->most;
}

static void do_part(void *data)
{
	unsigned number = *(unsigned *)data;
	struct range part = {1, number, number};
	unsigned long parts[3] = {1, number, 2ul * number};

	cape_task_reduction(&parts[1], &total, CAPE_ADD, CAPE_UNSIGNED_LONG, 1);
	cape_task_reduction_user(&part, &range, sizeof(range), 1, widen);
	cape_task_reduction(parts, of_region, CAPE_ADD, CAPE_UNSIGNED_LONG, 3);
}

static void do_own_part(void *data)
{
	const struct fib *own = data;
	unsigned long part = own->n;

	cape_task_reduction(&part, own->to, CAPE_ADD, CAPE_UNSIGNED_LONG, 1);
}

static void do_next(void *data)
{
	expect(*(unsigned *)data == __atomic_fetch_add(&total, 1, __ATOMIC_RELAXED));
}

/* Its own group of a variable of its own, and a part of the outer one. */
static void do_inner_group(void *data)
{
	unsigned number = *(unsigned *)data;
	unsigned long own = 5;

	cape_taskgroup_begin();
	cape_task_reduction_scope(&own, sizeof(own), &own);
	for (unsigned i = 0; i < 4; i++) {
		struct fib part = {i, &own};

		make(0, do_own_part, &part, sizeof(part));
	}
	cape_taskgroup_end();
	cape_task_reduction_leave(1);
	expect(own == 5 + 6);
	do_part(&number);
}

#define PARTS 200u

static void body_of_parts(void *data)
{
	static const int flags[] = {0, CAPE_TASK_IN_PLACE, 0, CAPE_TASK_FINAL, 0};

	(void)data;
	if (begin_single()) {
		range = (struct range){0, PARTS, 0};
		memset(of_region, 0, sizeof(of_region));
		cape_taskgroup_begin();
		cape_task_reduction_scope(&total, sizeof(total), &total);
		cape_task_reduction_scope(&range, sizeof(range), &range);
		for (unsigned i = 0; i < PARTS; i++)
			make(flags[i % 5], i % 3 ? do_part : do_inner_group, &i, sizeof(i));
		cape_taskgroup_end();
		cape_task_reduction_leave(2);
		expect(total == PARTS * (PARTS - 1ul) / 2);
		expect(range.count == PARTS && range.least == 0 && range.most == PARTS - 1);
	}
	end_single();
	expect(of_region[0] == PARTS && of_region[1] == PARTS * (PARTS - 1ul) / 2);
	expect(of_region[2] == 2 * of_region[1]);
}

/* The first thread of two, while the other one runs no tasks. */
static bool begin_alone(void)
{
	if (team == 2 && omp_get_thread_num())
		while (!__atomic_load_n(&seen[0], __ATOMIC_ACQUIRE))
			sched_yield();
	return team == 2 && !omp_get_thread_num();
}

static void end_alone(void)
{
	__atomic_store_n(&seen[0], 1, __ATOMIC_RELEASE);
}

/* A task yields to those that come from it, the newest first. */
static void body_of_yields(void *data)
{
	static const unsigned order[] = {1, 0};

	(void)data;
	cape_taskyield();
	if (!begin_alone())
		return;
	for (unsigned i = 0; i < 2; i++)
		make(0, do_next, (void *)&order[i], sizeof(order[i]));
	for (unsigned i = 1; i <= 2; i++) {
		cape_taskyield();
		expect(done() == i);
	}
	end_alone();
}

/* Those of a higher priority come first, of one priority in their order, and others behind. */
static void body_of_priorities(void *data)
{
	static const int priorities[] = {2, 5, 0, 2000000000, 2, 9, 5};
	static const unsigned order[] = {4, 2, 6, 0, 5, 1, 3};

	(void)data;
	if (!begin_alone())
		return;
	for (unsigned i = 0; i < 7; i++)
		make(cape_task_priority(priorities[i]), do_next, (void *)&order[i],
		     sizeof(order[i]));
	cape_taskwait();
	expect(done() == 7);
	end_alone();
}

/* Far more than are kept, by all threads. */
static void body_of_urgent(void *data)
{
	(void)data;
	for (unsigned i = 0; i < ITERATIONS; i++)
		make(cape_task_priority(i % 3), do_nothing, NULL, 0);
	cape_taskwait();
}

static void check_urgent(void)
{
	assert_int_equal(total, (unsigned long)team * ITERATIONS);
}

/*
 * Another thread's deque is held for a while as a thief holds it, and there is a task elsewhere
 * that this thread may not run: it must come back, for one that it may run is in there.
 */
static struct {
	int started, others, ran;
} held;

static bool comes(const int *what)
{
	for (unsigned i = 0; i < 20000 && !__atomic_load_n(what, __ATOMIC_ACQUIRE); i++)
		usleep(500);
	return __atomic_load_n(what, __ATOMIC_ACQUIRE);
}

static void tell(int *what)
{
	__atomic_store_n(what, 1, __ATOMIC_RELEASE);
}

static void do_tell(void *data)
{
	tell(*(int **)data);
}

static void do_hold(void *data)
{
	struct cape_worker *worker = cape_worker_get();
	int *ran = &held.ran;

	(void)data;
	make(0, do_nothing, NULL, 0);
	cape_taskwait();
	tell(&held.started);
	expect(comes(&held.others));
	expect(cape_word_try(&worker->tasks.deque.lock, worker->id));
	make(0, do_tell, &ran, sizeof(ran));
	usleep(20000);
	cape_word_unlock(&worker->tasks.deque.lock);
	expect(comes(&held.ran));
}

static void body_of_holding(void *data)
{
	(void)data;
	switch (omp_get_thread_num()) {
	case 1:
		make(0, do_hold, NULL, 0);
		comes(&held.others);
		cape_taskwait();
		break;
	case 2:
		comes(&held.started);
		make(0, do_nothing, NULL, 0);
		tell(&held.others);
		comes(&held.ran);
		break;
	default:
		break;
	}
}

static void test_held(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS / 4; round++) {
		memset(&held, 0, sizeof(held));
		run(3, body_of_holding, NULL);
	}
}

/* As clang calls it: values in what it is given, and what is shared behind them. */
struct kmp_task;
struct kmp_task *cape_kmpc_omp_task_alloc(const void *place, int thread, int flags, size_t size,
					  size_t shares_size,
					  int (*run)(int thread, struct kmp_task *task));
int cape_kmpc_omp_task(const void *place, int thread, struct kmp_task *task);

struct kmp_task {
	struct fib *shares;
	void *others[4];
	unsigned value;
};

static int run_kmp_task(int thread, struct kmp_task *task)
{
	expect(thread == 0 && task->value == task->shares->n);
	__atomic_fetch_add(task->shares->to, task->value, __ATOMIC_RELAXED);
	return 0;
}

static void body_of_kmp_tasks(void *data)
{
	static const int flags[] = {0, CAPE_TASK_UNDEFERRED, CAPE_TASK_FINAL};

	(void)data;
	for (unsigned i = 0; i < ITERATIONS; i++) {
		struct kmp_task *task;

		cape_task_next(0, flags[i % 3]);
		task = cape_kmpc_omp_task_alloc(NULL, 0, 1, sizeof(*task), sizeof(struct fib),
						run_kmp_task);
		task->value = i;
		*task->shares = (struct fib){i, &total};
		cape_kmpc_omp_task(NULL, 0, task);
	}
}

static void check_kmp_tasks(void)
{
	assert_int_equal(total, team * (ITERATIONS * (ITERATIONS - 1ul) / 2));
}

static void check_done(void)
{
	assert_int_equal(total, ITERATIONS);
	for (size_t i = 0; i < ITERATIONS; i++)
		assert_int_equal(seen[i], 1);
}

static void check_nothing(void)
{
}

#define TEST(name, body, check)                                                                    \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		for_all_sizes(body, check);                                                        \
	}

TEST(many, body_of_many, check_done)
TEST(trees, body_of_trees, check_trees)
TEST(fib, body_of_fib, check_fib)
TEST(groups, body_of_groups, check_groups)
TEST(chains, body_of_chains, check_chains)
TEST(own_chains, body_of_own_chains, check_nothing)
TEST(finals, body_of_finals, check_finals)
TEST(holders, body_of_holders, check_holders)
TEST(values, body_of_values, check_values)
TEST(kmp_tasks, body_of_kmp_tasks, check_kmp_tasks)
TEST(parts, body_of_parts, check_nothing)
TEST(yields, body_of_yields, check_nothing)
TEST(priorities, body_of_priorities, check_nothing)
TEST(urgent, body_of_urgent, check_urgent)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),	   cmocka_unit_test(test_trees),
		cmocka_unit_test(test_fib),	   cmocka_unit_test(test_groups),
		cmocka_unit_test(test_chains),	   cmocka_unit_test(test_own_chains),
		cmocka_unit_test(test_finals),	   cmocka_unit_test(test_holders),
		cmocka_unit_test(test_values),	   cmocka_unit_test(test_kmp_tasks),
		cmocka_unit_test(test_parts),	   cmocka_unit_test(test_yields),
		cmocka_unit_test(test_priorities), cmocka_unit_test(test_urgent),
		cmocka_unit_test(test_held),
	};

	return run_teams(tests, sizeof(tests) / sizeof(tests[0]));
}

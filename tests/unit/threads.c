// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * threads.c - the run time of threads in one process: teams of 1 to 16, called as translated
 * programs call it.  Built a second time with -fsanitize=thread (threads-tsan).
 */
#include "team.h"
#include "cape_atomic.h"

#define TIMES	300u
#define NAMES	40u
#define FORKS	50u
#define MEMBERS 4u

static void check_seen_once(void)
{
	for (size_t i = 0; i < ITERATIONS; i++)
		assert_int_equal(seen[i], 1);
}

/* Every member runs the body once, under its own number. */
static void body_of_numbers(void *data)
{
	(void)data;
	expect((unsigned)omp_get_num_threads() == team);
	expect((unsigned)omp_get_thread_num() < team);
	expect(omp_get_level() == 1 && omp_get_ancestor_thread_num(0) == 0);
	expect(omp_get_ancestor_thread_num(1) == omp_get_thread_num());
	expect(omp_get_team_size(1) == (int)team && omp_get_team_size(0) == 1);
	expect(omp_in_parallel() == (team > 1));
	count(&seen[omp_get_thread_num()]);
}

static void check_numbers(void)
{
	for (unsigned i = 0; i < ITERATIONS; i++)
		assert_int_equal(seen[i], i < team);
}

static void test_regions(void **state)
{
	(void)state;
	for_all_sizes(body_of_numbers, check_numbers);
}

/* A region inside another one is one thread's; settings end with the region. */
static void body_of_inner(void *data)
{
	(void)data;
	expect(omp_get_num_threads() == 1 && omp_get_thread_num() == 0);
	expect(omp_get_level() == 2 && omp_get_team_size(1) == (int)team);
	count(&seen[omp_get_ancestor_thread_num(1)]);
}

static void body_of_outer(void *data)
{
	int number = omp_get_thread_num();

	(void)data;
	omp_set_schedule(omp_sched_dynamic, number + 1);
	cape_begin(CAPE_PARALLEL, 0, 0);
	cape_num_threads(4);
	ckpt_start();
	cape_region_run(body_of_inner, NULL);
	cape_end(CAPE_PARALLEL, 0);
	expect(omp_get_thread_num() == number && (unsigned)omp_get_num_threads() == team);
}

static void test_nested(void **state)
{
	omp_sched_t kind;
	int chunk;

	(void)state;
	for (size_t i = 0; i < sizes_used; i++) {
		/* A team of one has no inner one. */
		if (sizes[i] == 1)
			continue;
		memset(seen, 0, sizeof(seen));
		run(sizes[i], body_of_outer, NULL);
		check_numbers();
	}
	omp_get_schedule(&kind, &chunk);
	assert_int_equal(kind, omp_sched_static);
}

/* Nobody is a barrier ahead of another. */
static void body_of_barriers(void *data)
{
	(void)data;
	for (unsigned i = 0; i < TIMES; i++) {
		count(&seen[i]);
		cape_barrier();
		expect(__atomic_load_n(&seen[i], __ATOMIC_RELAXED) == team);
	}
}

static void check_barriers(void)
{
	for (unsigned i = 0; i < TIMES; i++)
		assert_int_equal(seen[i], team);
}

static void test_barriers(void **state)
{
	(void)state;
	for_all_sizes(body_of_barriers, check_barriers);
}

/* A loop of COUNT iterations from FIRST on, by one schedule. */
struct loop {
	enum cape_schedule schedule;
	unsigned long first, count, chunk;
	bool nowait;
};

static void do_loop(const struct loop *loop)
{
	enum cape_directive directive = loop->nowait ? CAPE_FOR_NOWAIT : CAPE_FOR;
	unsigned long left, right;

	cape_begin(directive, loop->first, loop->first + loop->count);
	if (loop->schedule == CAPE_SCHEDULE_DYNAMIC)
		cape_schedule_dynamic(loop->chunk);
	else if (loop->schedule == CAPE_SCHEDULE_GUIDED)
		cape_schedule_guided(loop->chunk);
	else if (loop->chunk)
		cape_schedule_static(loop->chunk);
	ckpt_start();
	while (cape_chunk(&left, &right))
		for (; left < right; left++)
			count(&seen[left - loop->first]);
	if (cape_is_last())
		__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
	cape_end_at(directive, 0, CAPE_HERE);
}

static void body_of_loop(void *data)
{
	do_loop(data);
}

static void test_loops(void **state)
{
	static const unsigned long counts[] = {0, 1, 2, 17, ITERATIONS}, chunks[] = {0, 1, 3, 1000};
	static const unsigned long firsts[] = {0, 5, -(unsigned long)ITERATIONS - 1};

	(void)state;
	for (size_t i = 0; i < sizes_used; i++)
		for (unsigned number = 0; number < 5 * 4 * 3 * 6; number++) {
			struct loop loop = {.schedule = (enum cape_schedule)(number % 3),
					    .nowait = number / 3 % 2,
					    .count = counts[number / 6 % 5],
					    .chunk = chunks[number / 30 % 4],
					    .first = firsts[number / 120]};

			memset(seen, 0, sizeof(seen));
			total = 0;
			run(sizes[i], body_of_loop, &loop);
			for (size_t at = 0; at < ITERATIONS; at++)
				assert_int_equal(seen[at], at < loop.count);
			assert_int_equal(total, loop.count > 0);
		}
}

/* The loop and the sections of a region itself, one after the other by teams of other sizes. */
static void body_of_own_loop(void *data)
{
	unsigned long left, right;

	(void)data;
	cape_schedule_dynamic(2);
	while (cape_chunk(&left, &right))
		for (; left < right; left++)
			count(&seen[left]);
}

static void body_of_own_sections(void *data)
{
	(void)data;
	for (unsigned i = 0; i < 10; i++)
		if (cape_section())
			count(&seen[i]);
}

static void run_own(enum cape_directive directive, unsigned long last, unsigned size,
		    void (*body)(void *data))
{
	memset(seen, 0, sizeof(seen));
	cape_begin_at(directive, 0, last, CAPE_HERE);
	cape_num_threads((int)size);
	ckpt_start();
	/* What stands here, as the header of a loop, may ask for the team. */
	assert_int_equal(omp_get_num_threads(), size);
	cape_region_run(body, NULL);
	cape_end_at(directive, 0, CAPE_HERE);
	for (unsigned i = 0; i < last; i++)
		assert_int_equal(seen[i], 1);
}

static void test_own_work(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < sizes_used; i++) {
			run_own(CAPE_PARALLEL_FOR, ITERATIONS, sizes[i], body_of_own_loop);
			run_own(CAPE_PARALLEL_SECTIONS, 10, sizes[sizes_used - 1 - i],
				body_of_own_sections);
		}
}

/* A block that the compiler has left in its place is the calling thread's alone. */
static void test_block_in_place(void **state)
{
	unsigned long left, right;

	(void)state;
	memset(seen, 0, sizeof(seen));
	cape_begin(CAPE_PARALLEL_FOR, 0, ITERATIONS);
	cape_num_threads(4);
	ckpt_start();
	while (cape_chunk(&left, &right))
		for (; left < right; left++)
			seen[left]++;
	cape_end(CAPE_PARALLEL_FOR, 0);
	check_seen_once();
}

/* Who needs no barrier runs ahead of the others, at last as far as the ring goes. */
static void body_of_runner(void *data)
{
	struct loop loop = {.schedule = CAPE_SCHEDULE_DYNAMIC, .count = 2, .nowait = true};

	(void)data;
	for (unsigned i = 0; i < TIMES; i++) {
		if (omp_get_thread_num() == 0 && i == 0)
			usleep(1000);
		do_loop(&loop);
	}
}

static void check_runner(void)
{
	assert_int_equal(seen[0], TIMES);
	assert_int_equal(seen[1], TIMES);
	assert_int_equal(total, TIMES);
}

static void test_run_ahead(void **state)
{
	(void)state;
	for_all_sizes(body_of_runner, check_runner);
}

static unsigned in_order;

/* Some iterations do not come to the ordered construct; some threads have no iteration. */
static void body_of_ordered(void *data)
{
	const struct loop *loop = data;
	unsigned long left, right;

	cape_begin(CAPE_FOR, 0, loop->count);
	cape_set_ordered();
	if (loop->schedule == CAPE_SCHEDULE_DYNAMIC)
		cape_schedule_dynamic(loop->chunk);
	else if (loop->chunk)
		cape_schedule_static(loop->chunk);
	ckpt_start();
	while (cape_chunk(&left, &right))
		for (; left < right; left++) {
			cape_iteration(left);
			if (left % 3 == 1)
				continue;
			cape_ordered_begin();
			expect(in_order <= left);
			in_order = (unsigned)left + 1;
			cape_ordered_end();
		}
	cape_end(CAPE_FOR, 0);
}

static void test_ordered(void **state)
{
	static const unsigned long counts[] = {1, 2, 150};

	(void)state;
	for (size_t i = 0; i < sizes_used; i++)
		for (unsigned number = 0; number < 2 * 3 * 3; number++) {
			struct loop loop = {.schedule = number % 2 ? CAPE_SCHEDULE_DYNAMIC
								   : CAPE_SCHEDULE_STATIC,
					    .count = counts[number / 2 % 3],
					    .chunk = number / 6 * 2};

			in_order = 0;
			run(sizes[i], body_of_ordered, &loop);
			assert_true(in_order >= loop.count - 1);
		}
}

static void body_of_sections(void *data)
{
	(void)data;
	cape_begin(CAPE_SECTIONS, 0, 10);
	ckpt_start();
	for (unsigned i = 0; i < 10; i++)
		if (cape_section())
			count(&seen[i]);
	if (cape_is_last())
		__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
	cape_end(CAPE_SECTIONS, 0);
}

static void check_sections(void)
{
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(seen[i], 1);
	assert_int_equal(total, 1);
}

static void test_sections(void **state)
{
	(void)state;
	for_all_sizes(body_of_sections, check_sections);
}

static void body_of_singles(void *data)
{
	(void)data;
	for (unsigned i = 0; i < TIMES; i++) {
		unsigned long value = 0, other = 0;
		enum cape_directive directive = i % 3 ? CAPE_SINGLE_NOWAIT : CAPE_SINGLE;

		cape_begin_at(directive, 0, 0, CAPE_HERE);
		ckpt_start();
		if (cape_single()) {
			seen[i]++;
			value = i + 1ul;
			other = 7ul * i;
		}
		if (directive == CAPE_SINGLE) {
			cape_set_copyprivate(&value);
			cape_set_copyprivate(&other);
		}
		cape_end_at(directive, 0, CAPE_HERE);
		if (directive == CAPE_SINGLE)
			expect(value == i + 1ul && other == 7ul * i);
	}
}

static void check_singles(void)
{
	for (unsigned i = 0; i < TIMES; i++)
		assert_int_equal(seen[i], 1);
}

static void test_singles(void **state)
{
	(void)state;
	for_all_sizes(body_of_singles, check_singles);
}

static double sum;
static long greatest[3];

static double part_of(unsigned thread, unsigned round)
{
	return 1.0 / (3 + thread) + round * 0.1;
}

static void combine(void *out, const void *in)
{
	*(unsigned long *)out = 3 * *(unsigned long *)out + *(const unsigned long *)in;
}

static long combined;

/* Parts are added in the order of threads: the same bits each time. */
static void body_of_reductions(void *data)
{
	unsigned thread = (unsigned)omp_get_thread_num();

	(void)data;
	for (unsigned round = 0; round < 5; round++) {
		double part = part_of(thread, round);
		long most[3] = {thread, -(long)thread, (long)(thread ^ round)}, own = thread;

		cape_begin(CAPE_FOR, 0, 0);
		ckpt_start();
		cape_reduction(&part, &sum, CAPE_ADD, CAPE_DOUBLE, 1);
		cape_reduction(most, greatest, CAPE_MAX, CAPE_LONG, 3);
		cape_reduction_user(&own, &combined, sizeof(own), 1, combine);
		cape_end(CAPE_FOR, 1);
		expect(greatest[0] == (long)team - 1 && greatest[1] == 0);
		cape_barrier();
	}
	/* At the end of the region. */
	cape_reduction(&(double){1}, &sum, CAPE_ADD, CAPE_DOUBLE, 1);
}

static void test_reductions(void **state)
{
	(void)state;
	for (unsigned times = 0; times < 2 * ROUNDS; times++) {
		unsigned size = sizes[times % sizes_used];
		double expected = 0.5;
		long expected_combined = 1;

		sum = 0.5;
		combined = 1;
		memset(greatest, 0, sizeof(greatest));
		run(size, body_of_reductions, NULL);
		for (unsigned round = 0; round < 5; round++)
			for (unsigned thread = 0; thread < size; thread++) {
				expected += part_of(thread, round);
				expected_combined =
					(long)(3ul * (unsigned long)expected_combined + thread);
			}
		for (unsigned thread = 0; thread < size; thread++)
			expected += 1;
		assert_memory_equal(&sum, &expected, sizeof(sum));
		assert_int_equal(combined, expected_combined);
	}
}

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static unsigned long plain[5];
static const char same_name[] = "one", other_name[] = "two";

static void body_of_locks(void *data)
{
	(void)data;
	for (unsigned i = 0; i < TIMES; i++) {
		/* Two names at different addresses are one lock. */
		const char *name = i % 2 ? same_name : "one";

		cape_critical_begin(NULL);
		plain[0]++;
		cape_critical_end(NULL);
		cape_critical_begin(name);
		plain[1]++;
		cape_critical_begin(other_name);
		plain[2]++;
		cape_critical_end(other_name);
		cape_critical_end(name);
		if (i % 3 || !cape_constructs->locks->test_lock(&lock))
			cape_constructs->locks->set_lock(&lock);
		plain[3]++;
		cape_constructs->locks->unset_lock(&lock);
		cape_constructs->locks->set_nest_lock(&nest_lock);
		expect(omp_test_nest_lock(&nest_lock) == 2);
		plain[4]++;
		cape_constructs->locks->unset_nest_lock(&nest_lock);
		cape_constructs->locks->unset_nest_lock(&nest_lock);
	}
}

static void test_locks(void **state)
{
	(void)state;
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest_lock);
	for (size_t i = 0; i < sizes_used; i++) {
		memset(plain, 0, sizeof(plain));
		run(sizes[i], body_of_locks, NULL);
		for (size_t at = 0; at < 5; at++)
			assert_int_equal(plain[at], (unsigned long)TIMES * sizes[i]);
		assert_int_equal(lock.owner, 0);
		assert_int_equal(nest_lock.owner, 0);
	}
}

static union {
	double real;
	uint64_t whole;
	unsigned char byte[8];
} shared;

static struct {
	long double real;
} wide;

/* The general form and the element meet each other, by whatever type; what is wide has a lock. */
static void body_of_atomics(void *data)
{
	unsigned char one = 1;
	long double wide_one = 1, wide_old, wide_new;
	uint64_t old, new;

	(void)data;
	for (unsigned i = 0; i < TIMES; i++) {
		do {
			cape_atomic_load(&shared.whole, &old, &new, CAPE_ATOMIC_UPDATE);
			new += 256;
		} while (!cape_atomic_store(&shared.whole, &old, &new, CAPE_ATOMIC_UPDATE));
		cape_atomic_load(&wide.real, &wide_old, &wide_new, CAPE_ATOMIC_UPDATE);
		wide_new += 1;
		expect(cape_atomic_store(&wide.real, &wide_old, &wide_new, CAPE_ATOMIC_UPDATE));
		cape_atomic_element(&wide.real, CAPE_ADD, CAPE_LONG_DOUBLE, &wide_one);
		cape_atomic_element(&shared.byte[0], CAPE_ADD, CAPE_UNSIGNED_CHAR, &one);
		cape_flush();
	}
}

static void test_atomics(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizes_used; i++) {
		unsigned long times = (unsigned long)TIMES * sizes[i];

		shared.whole = 0;
		wide.real = 0;
		run(sizes[i], body_of_atomics, NULL);
		assert_int_equal(shared.whole, 256 * times + times % 256);
		assert_true(wide.real == 2 * (long double)times);
	}
}

/* A thread that the program made itself runs regions alone, and meets the others' locks. */
static void body_alone(void *data)
{
	(void)data;
	expect(omp_get_num_threads() == 1 && omp_get_thread_num() == 0);
	cape_critical_begin(NULL);
	plain[0]++;
	cape_critical_end(NULL);
}

static void *own_thread(void *data)
{
	for (unsigned i = 0; i < TIMES; i++) {
		cape_begin(CAPE_PARALLEL, 0, 0);
		cape_num_threads(4);
		ckpt_start();
		cape_region_run(body_alone, NULL);
		cape_end(CAPE_PARALLEL, 0);
	}
	return data;
}

static void body_beside(void *data)
{
	(void)data;
	for (unsigned i = 0; i < TIMES; i++) {
		cape_critical_begin(NULL);
		plain[0]++;
		cape_critical_end(NULL);
	}
}

static void test_own_threads(void **state)
{
	pthread_t thread[3];

	(void)state;
	plain[0] = 0;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, own_thread, NULL), 0);
	run(3, body_beside, NULL);
	for (size_t i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(plain[0], 6ul * TIMES);
}

/* The child of a fork() in a region is one thread, which can make a team of its own. */
static void body_of_child(void *data)
{
	(void)data;
	count(&seen[omp_get_thread_num()]);
}

static void body_of_fork(void *data)
{
	int status = -1;
	pid_t child;

	(void)data;
	if (omp_get_thread_num() != (int)team - 1)
		return;
	child = fork();
	if (child == 0) {
		memset(seen, 0, sizeof(seen));
		if (omp_get_num_threads() != 1)
			_exit(1);
		cape_barrier();
		cape_begin(CAPE_PARALLEL, 0, 0);
		cape_num_threads(3);
		ckpt_start();
		cape_region_run(body_of_child, NULL);
		cape_end(CAPE_PARALLEL, 0);
		_exit(seen[0] == 1 && seen[1] == 1 && seen[2] == 1 ? 0 : 2);
	}
	expect(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void test_fork(void **state)
{
	(void)state;
#ifdef __SANITIZE_THREAD__
	return; /* its run time makes no threads in the child of a program that has some */
#endif
	for (size_t i = 0; i < sizes_used; i++)
		run(sizes[i], body_of_fork, NULL);
}

/* Takes names of its own, more than it has at hand, and a variable that has a lock. */
static void take_all(unsigned number)
{
	static char names[MEMBERS][NAMES][8];
	long double one = 1;

	for (unsigned i = 0; i < NAMES; i++) {
		char *name = names[number][i];

		snprintf(name, sizeof(names[number][i]), "%u.%u", number, i);
		cape_critical_begin(name);
		cape_critical_end(name);
		cape_atomic_element(&wide.real, CAPE_ADD, CAPE_LONG_DOUBLE, &one);
	}
}

/* Nobody in the child would release what locks of the run time's own other members held. */
static void body_of_fork_beside(void *data)
{
	unsigned number = (unsigned)omp_get_thread_num();
	int status = 0;

	(void)data;
	while (number && !__atomic_load_n(&total, __ATOMIC_RELAXED))
		take_all(number);
	for (unsigned i = 0; !number && i < FORKS && !status; i++) {
		pid_t child = fork();

		if (child == 0) {
			alarm(20);
			take_all(0);
			_exit(0);
		}
		expect(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	}
	if (!number)
		__atomic_store_n(&total, 1, __ATOMIC_RELAXED);
}

static void test_fork_beside(void **state)
{
	(void)state;
	total = 0;
	run(MEMBERS, body_of_fork_beside, NULL);
}

/* As many as asked for, at most as many as are allowed. */
static void test_sizes(void **state)
{
	(void)state;
	omp_set_num_threads(5);
	assert_int_equal(omp_get_max_threads(), 5);
	cape_constructs->settings()->thread_limit = 3;
	assert_int_equal(omp_get_max_threads(), 3);
	assert_int_equal(omp_get_thread_limit(), 3);
	memset(seen, 0, sizeof(seen));
	team = 3;
	cape_begin(CAPE_PARALLEL, 0, 0);
	ckpt_start();
	cape_region_run(body_of_numbers, NULL);
	cape_end(CAPE_PARALLEL, 0);
	check_numbers();
	cape_constructs->settings()->thread_limit = 0;
	omp_set_dynamic(1);
	omp_set_num_threads(100000);
	assert_int_equal(omp_get_max_threads(), omp_get_num_procs());
	omp_set_dynamic(0);
	memset(seen, 0, sizeof(seen));
	team = 1;
	cape_begin(CAPE_PARALLEL, 0, 0);
	cape_if(0);
	ckpt_start();
	cape_region_run(body_of_numbers, NULL);
	cape_end(CAPE_PARALLEL, 0);
	check_numbers();
}

/* Of a team of SIZE on COUNT places, how many members each has, by BIND. */
static void check_close(struct cape_seat master, int bind, unsigned size)
{
	unsigned members[64] = {0}, least = size / master.count;

	for (unsigned i = 0; i < size; i++) {
		struct cape_seat seat = cape_places_seat(master, bind, size, i);

		assert_in_range(seat.spot, master.first, master.first + master.count - 1);
		members[(unsigned)seat.spot - master.first]++;
		if (i == 0)
			assert_int_equal(seat.spot, master.spot);
		assert_int_equal(seat.count, bind == omp_proc_bind_spread ? 1 : master.count);
		assert_int_equal(seat.first,
				 bind == omp_proc_bind_spread ? (unsigned)seat.spot : master.first);
		if (size <= master.count)
			assert_int_equal(seat.spot,
					 master.first + ((unsigned)master.spot - master.first + i) %
								master.count);
	}
	for (unsigned i = 0; size > master.count && i < master.count; i++)
		assert_in_range(members[i], least, least + 1);
}

/* On parts of places that lie apart and are all of them. */
static void check_spread(struct cape_seat master, unsigned size)
{
	unsigned covered[64] = {0}, least = master.count / size;

	for (unsigned i = 0; i < size; i++) {
		struct cape_seat seat = cape_places_seat(master, omp_proc_bind_spread, size, i);

		assert_in_range(seat.count, least, least + 1);
		assert_in_range(seat.spot, seat.first, seat.first + seat.count - 1);
		for (unsigned spot = 0; spot < seat.count; spot++)
			covered[seat.first - master.first + spot]++;
		if (i == 0)
			assert_int_equal(seat.spot, master.spot);
		else
			assert_int_equal(seat.spot, seat.first);
	}
	for (unsigned i = 0; i < master.count; i++)
		assert_int_equal(covered[i], 1);
}

/* OpenMP 5.2, 10.1.3. */
static void test_seats(void **state)
{
	(void)state;
	for (unsigned count = 1; count < 18; count++)
		for (unsigned at = 0; at < count; at++)
			for (unsigned size = 1; size < 40; size++) {
				struct cape_seat master = {(int)(3 + at), 3, count};
				struct cape_seat last = cape_places_seat(
					master, omp_proc_bind_primary, size, size - 1);

				assert_memory_equal(&last, &master, sizeof(master));
				check_close(master, omp_proc_bind_close, size);
				check_close(master, omp_proc_bind_true, size);
				if (size <= count)
					check_spread(master, size);
				else
					check_close(master, omp_proc_bind_spread, size);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_regions),	   cmocka_unit_test(test_nested),
		cmocka_unit_test(test_barriers),   cmocka_unit_test(test_loops),
		cmocka_unit_test(test_own_work),   cmocka_unit_test(test_block_in_place),
		cmocka_unit_test(test_run_ahead),  cmocka_unit_test(test_ordered),
		cmocka_unit_test(test_sections),   cmocka_unit_test(test_singles),
		cmocka_unit_test(test_reductions), cmocka_unit_test(test_locks),
		cmocka_unit_test(test_atomics),	   cmocka_unit_test(test_own_threads),
		cmocka_unit_test(test_fork),	   cmocka_unit_test(test_fork_beside),
		cmocka_unit_test(test_sizes),	   cmocka_unit_test(test_seats),
	};

	return run_teams(tests, sizeof(tests) / sizeof(tests[0]));
}

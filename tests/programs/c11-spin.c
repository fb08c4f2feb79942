/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C11: threads that wait for each other by atomics: spin locks, flags, a barrier, fences. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

#define ROUNDS	6
#define THREADS 64

static atomic_flag lock = ATOMIC_FLAG_INIT;
static _Atomic int turn, arrived, generation;
static atomic_int ready[THREADS];
static int handed[THREADS], old_lock, under_lock, under_old, ticket_sum, total;
static _Atomic unsigned next_ticket, serving;

static void enter(void)
{
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		;
}

static void leave(void)
{
	atomic_flag_clear_explicit(&lock, memory_order_release);
}

/* All have arrived. */
static void barrier(int threads)
{
	int mine = generation;

	if (atomic_fetch_add(&arrived, 1) + 1 == threads) {
		arrived = 0;
		generation++;
	} else {
		while (generation == mine)
			;
	}
}

int main(void)
{
	int wrong = 0;

#pragma omp parallel reduction(+ : wrong)
	{
		int threads = omp_get_num_threads(), me = omp_get_thread_num(), round;
		unsigned ticket;

		for (round = 0; round < ROUNDS; round++) {
			enter();
			under_lock++;
			leave();
			while (__sync_lock_test_and_set(&old_lock, 1))
				;
			under_old++;
			__sync_lock_release(&old_lock);
			ticket = atomic_fetch_add(&next_ticket, 1);
			while (atomic_load_explicit(&serving, memory_order_acquire) != ticket)
				;
			ticket_sum += (int)ticket;
			atomic_fetch_add_explicit(&serving, 1, memory_order_release);
			barrier(threads);
			wrong += under_lock != (round + 1) * threads;
			wrong += under_old != (round + 1) * threads;
			barrier(threads);
		}
		/* Each hands a value on to the next, published by fences around relaxed stores. */
		if (me > 0) {
			while (!atomic_load_explicit(&ready[me - 1], memory_order_relaxed))
				;
			atomic_thread_fence(memory_order_acquire);
			handed[me] = handed[me - 1] + 1;
		}
		atomic_thread_fence(memory_order_release);
		atomic_store_explicit(&ready[me], 1, memory_order_relaxed);
		wrong += handed[me] != me;
		while (turn != me)
			;
		total = total * 3 % 101 + 1;
		turn = me + 1;
	}
	{
		int threads = omp_get_max_threads(), tickets = ROUNDS * threads, expected = 0, i;

		for (i = 0; i < threads; i++)
			expected = expected * 3 % 101 + 1;
		wrong += ticket_sum != tickets * (tickets - 1) / 2;
		wrong += total != expected;
	}
	printf("%d wrong\n", wrong);
	return 0;
}

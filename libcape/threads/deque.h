/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * deque.h - the tasks that a thread has made and nobody runs yet: it takes the newest, others steal
 * the oldest.
 *
 * The owner takes no lock, but for the last task, which a thief may want too (Frigo, Leiserson,
 * Randall 1998: the THE protocol); thieves come one at a time.
 */
#ifndef CAPE_DEQUE_H
#define CAPE_DEQUE_H

#include <stdbool.h>
#include <stdint.h>

struct cape_task;
struct cape_worker;

struct cape_deque {
	uint64_t first; /* the oldest; thieves raise it, under the lock */
	uint32_t lock;
	struct cape_task **ring; /* changes under the lock */
	uint64_t capacity;	 /* a power of two, or 0 */
	/* After the newest; changed by the owner alone. */
	uint64_t end __attribute__((aligned(64)));
};

static inline uint64_t cape_deque_count(const struct cape_deque *deque)
{
	uint64_t end = __atomic_load_n(&deque->end, __ATOMIC_ACQUIRE);
	uint64_t first = __atomic_load_n(&deque->first, __ATOMIC_ACQUIRE);

	return end > first ? end - first : 0;
}

/* Whether there are tasks, as far as is known without the lock. */
bool cape_deque_any(const struct cape_deque *deque);

/* By the owner. */
void cape_deque_push(struct cape_worker *owner, struct cape_task *task);
/* By the owner: the newest task, of those from BASE on, or NULL. */
struct cape_task *cape_deque_pop(struct cape_worker *owner, uint64_t base);

/* What a thread looks for, and what it saw where it found nothing. */
struct cape_search {
	const struct cape_task *root; /* that the task must come from; NULL: any will do */
	bool others;		      /* there are tasks of other threads */
	bool busy;		      /* another thread was there: there may be tasks */
};

/* The oldest task of VICTIM, or NULL. */
struct cape_task *cape_deque_steal(struct cape_worker *victim, const struct cape_worker *thief,
				   struct cape_search *search);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * atomic.c - atomic constructs on what is wider than a word: the statement under a lock that its
 * variable's address has (of words: cape_atomic.h).
 *
 * Whatever type a variable is accessed by, its lock is that of the 64 bytes that it begins in.
 */
#include "cape_atomic.h"
#include "checkpoint/reduction.h"
#include "threads/process.h"

static uint32_t *word_of(struct cape_pool *pool, const volatile void *variable)
{
	uintptr_t line = (uintptr_t)variable / CAPE_CACHE_LINE;

	return &pool->atomic[(line ^ line / CAPE_ATOMICS) % CAPE_ATOMICS].word;
}

void cape_thread_atomic_begin_at(const volatile void *variable, unsigned long size, int kind,
				 const struct cape_place *place)
{
	struct cape_worker *worker = cape_worker_get();

	(void)size, (void)kind;
	if (worker->atomic)
		cape_fail(cape_runtime_get(), 0,
			  "%s:%d: an atomic construct inside another one, in a function that its "
			  "expression calls; evaluate the call before the construct",
			  place->file, place->line);
	worker->atomic = word_of(worker->pool, variable);
	cape_word_lock(worker->atomic, worker->id, worker->looks);
}

/* Orders are no weaker than the strongest: whoever looks next sees all from before. */
void cape_thread_atomic_end(void)
{
	struct cape_worker *worker = cape_worker_get();
	uint32_t *word = worker->atomic;

	worker->atomic = NULL;
	cape_word_unlock(word);
}

void cape_thread_atomic_element(volatile void *variable, enum cape_operator op, enum cape_type type,
				const volatile void *value)
{
	long double _Complex before, after;
	size_t size = cape_type_size(type);

	do {
		cape_atomic_load_bytes(variable, &before, &after, size, CAPE_ATOMIC_UPDATE);
		cape_reduction_apply(op, type, &after, (const void *)value, 1);
	} while (!cape_atomic_store_bytes(variable, &before, &after, size, CAPE_ATOMIC_UPDATE));
}

void cape_thread_flush(const struct cape_place *place, unsigned long count,
		       const struct cape_flushed *list)
{
	(void)place, (void)count, (void)list;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* A loop that waits gives its processor to whom it may be waiting for. */
void cape_thread_look_at(const struct cape_place *place, int waits)
{
	struct cape_worker *worker = cape_worker_get();

	(void)place;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!waits)
		return;
	__builtin_ia32_pause();
	if (worker->looks <= CAPE_LOOKS_FEW)
		syscall(SYS_sched_yield);
}

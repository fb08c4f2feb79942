// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * single.c - the single construct: whoever comes first, and copyprivate.
 */
#include "threads/single.h"

#include <string.h>
#include "threads/barrier.h"

/* Who came here has seen all single constructs before this one won. */
int cape_thread_single(void)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_construct *construct = cape_worker_innermost(worker);
	uint32_t before = worker->singles;

	construct->ran_single = true;
	if (!cape_worker_shares(worker))
		return 1;
	worker->singles++;
	construct->ran_single =
		__atomic_load_n(&worker->team->singles, __ATOMIC_RELAXED) == before &&
		__atomic_compare_exchange_n(&worker->team->singles, &before, before + 1, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	return construct->ran_single;
}

int cape_thread_single_any(void)
{
	return cape_thread_single();
}

void cape_thread_set_copyprivate_at(volatile void *variable, unsigned long size)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_copyprivate *own;

	if (!cape_worker_shares(worker))
		return;
	own = cape_buffer_add(&worker->copyprivate, sizeof(*own));
	*own = (struct cape_copyprivate){(void *)variable, size};
}

/* Elements of both buffers are of one size, and so lie at the same places. */
static void copy_all(const struct cape_buffer *to, const struct cape_buffer *from)
{
	for (size_t at = 0; at < to->size; at += sizeof(struct cape_copyprivate)) {
		const struct cape_copyprivate *own = (const void *)(to->memory + at);
		const struct cape_copyprivate *theirs = (const void *)(from->memory + at);

		memcpy(own->address, theirs->address, own->size);
	}
}

void cape_copyprivate_take(struct cape_worker *worker, bool ran_single)
{
	if (ran_single)
		worker->team->copyprivate = &worker->copyprivate;
	cape_team_barrier(worker);
	/* Not in the child of a fork(). */
	if (!ran_single && cape_worker_shares(worker))
		copy_all(&worker->copyprivate, worker->team->copyprivate);
	cape_team_barrier(worker);
	worker->copyprivate.size = 0;
}

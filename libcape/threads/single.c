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

struct cape_copyprivate *cape_copyprivate_at(const struct cape_buffer *buffer, size_t number)
{
	size_t at = number * sizeof(struct cape_copyprivate);

	return at < buffer->size ? (struct cape_copyprivate *)(void *)(buffer->memory + at) : NULL;
}

/* Who is given its own values has no other. */
static void copy_all(const struct cape_buffer *to, const struct cape_buffer *from)
{
	const struct cape_copyprivate *own;

	for (size_t i = 0; to != from && (own = cape_copyprivate_at(to, i)); i++)
		memcpy(own->address, cape_copyprivate_at(from, i)->address, own->size);
}

void cape_copyprivate_take(struct cape_worker *worker, bool ran_single,
			   const struct cape_place *place)
{
	if (ran_single) {
		worker->team->copyprivate = &worker->copyprivate;
		worker->team->has_winner = true;
	}
	worker->team->kind->meet(worker, place);
	/* Not in the child of a fork(). */
	if (cape_worker_shares(worker))
		copy_all(&worker->copyprivate, worker->team->copyprivate);
	cape_team_barrier(worker);
	worker->copyprivate.size = 0;
}

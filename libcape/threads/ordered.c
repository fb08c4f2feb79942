// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ordered.c - the ordered construct: iterations take turns.
 *
 * A turn is over when the construct ends, or with the iteration when that did not meet it.  Who
 * says the latter waits until all before are over.
 */
#include "threads/ordered.h"

#include "threads/share.h"

static bool takes_turns(const struct cape_worker *worker, const struct cape_construct *construct)
{
	return construct->ordered.clause && cape_worker_shares(worker);
}

void cape_turn_await(struct cape_worker *worker, struct cape_construct *construct,
		     unsigned long iteration)
{
	struct cape_share *share = cape_share_take(worker, construct);
	uint64_t turn = iteration - construct->work.first;
	uint32_t seen;

	for (;;) {
		seen = __atomic_load_n(&share->turned.word, __ATOMIC_ACQUIRE);
		if (__atomic_load_n(&share->turn, __ATOMIC_ACQUIRE) >= turn)
			return;
		cape_worker_await(worker, &share->turned, seen);
	}
}

void cape_turn_tell(struct cape_worker *worker, struct cape_construct *construct, unsigned long end)
{
	struct cape_share *share = cape_share_take(worker, construct);

	cape_turn_await(worker, construct, construct->ordered.announced);
	__atomic_store_n(&share->turn, end - construct->work.first, __ATOMIC_RELEASE);
	__atomic_fetch_add(&share->turned.word, 1, __ATOMIC_SEQ_CST);
	cape_signal_wake(&share->turned);
}

/* Iterations of this thread's chunk up to END are done. */
static void tell(struct cape_worker *worker, struct cape_construct *construct, unsigned long end)
{
	if (construct->ordered.announced >= end)
		return;
	worker->team->kind->tell_turns(worker, construct, end);
	construct->ordered.announced = end;
}

void cape_turn_chunk_end(struct cape_worker *worker, struct cape_construct *construct)
{
	if (takes_turns(worker, construct))
		tell(worker, construct, construct->ordered.right);
}

/* The loop whose turns are taken here, or NULL. */
static struct cape_construct *ordered_loop(struct cape_worker *worker)
{
	struct cape_construct *construct = worker->depth ? cape_worker_innermost(worker) : NULL;

	return construct && takes_turns(worker, construct) ? construct : NULL;
}

void cape_thread_ordered_begin_at(const struct cape_place *place)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_construct *construct = ordered_loop(worker);

	if (!construct)
		return;
	if (construct->ordered.announced > construct->ordered.iteration)
		cape_fail(cape_runtime_get(), 0,
			  "%s:%d: an iteration of the loop at %s:%d comes to 'ordered' a second "
			  "time; OpenMP allows one in each iteration",
			  place->file, place->line, construct->place->file, construct->place->line);
	tell(worker, construct, construct->ordered.iteration);
	worker->team->kind->await_turn(worker, construct, construct->ordered.iteration);
}

void cape_thread_ordered_end(void)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_construct *construct = ordered_loop(worker);

	if (construct)
		tell(worker, construct, construct->ordered.iteration + 1);
}

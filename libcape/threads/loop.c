// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * loop.c - which iterations and sections are this thread's.
 */
#include "base/job.h"
#include "channel/service.h"
#include "openmp/ordered.h"
#include "threads/loop.h"
#include "threads/ordered.h"
#include "threads/share.h"

/* This thread's own part, of which it takes one chunk after the other. */
static bool next_own(const struct cape_worker *worker, struct cape_work *work, unsigned long *left,
		     unsigned long *right)
{
	if (!work->has_job)
		work->job = cape_worker_shares(worker)
				    ? cape_job_make(work, worker->number, worker->size)
				    : cape_job_make(work, 0, 1);
	work->has_job = true;
	return cape_job_next(&work->job, left, right);
}

/* Counts SIZE of COUNT iterations as handed out by one instruction; false: that might wrap. */
static bool add(const struct cape_worker *worker, uint64_t *next, uint64_t size, uint64_t count,
		uint64_t *from)
{
	uint64_t most;

	if (__builtin_mul_overflow(size, worker->size + 1ull, &most) ||
	    __builtin_add_overflow(most, count, &most))
		return false;
	*from = __atomic_fetch_add(next, size, __ATOMIC_RELAXED);
	return true;
}

/* The next chunk, from FIRST on, of a loop that is handed out; its size, or 0. */
uint64_t cape_loop_hand_out(struct cape_worker *worker, struct cape_construct *construct,
			    uint64_t *from)
{
	uint64_t count = construct->work.last - construct->work.first;
	uint64_t *next = &cape_share_take(worker, construct)->next, size;
	struct cape_service_request loop = {
		.chunk = {.end = count,
			  .least = construct->work.chunk,
			  .guided = construct->schedule == CAPE_SCHEDULE_GUIDED,
			  .nodes = worker->size}};

	*from = __atomic_load_n(next, __ATOMIC_RELAXED);
	if (*from >= count)
		return 0;
	if (!loop.chunk.guided &&
	    add(worker, next, loop.chunk.least ? loop.chunk.least : 1, count, from))
		return cape_service_chunk_size(&loop, *from);
	do
		size = cape_service_chunk_size(&loop, *from);
	while (size && !__atomic_compare_exchange_n(next, from, *from + size, false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return size;
}

static bool next_handed_out(struct cape_worker *worker, struct cape_construct *construct,
			    unsigned long *left, unsigned long *right)
{
	uint64_t from, size = worker->team->kind->hand_out(worker, construct, &from);

	*left = construct->work.first + from;
	*right = *left + size;
	return size > 0;
}

int cape_thread_chunk(unsigned long *left, unsigned long *right)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_construct *construct = cape_worker_innermost(worker);
	bool shares = cape_worker_shares(worker), any;

	cape_turn_chunk_end(worker, construct);
	if (construct->work.first >= construct->work.last)
		return 0;
	/* All take it, who have a chunk and who have none. */
	if (shares && construct->ordered.clause)
		cape_share_take(worker, construct);
	/* One thread does all chunks in their order: one piece costs the call of one. */
	if (!shares)
		construct->work.chunk = 0;
	if (shares && construct->schedule != CAPE_SCHEDULE_STATIC)
		any = next_handed_out(worker, construct, left, right);
	else
		any = next_own(worker, &construct->work, left, right);
	if (!any)
		return 0;
	cape_ordered_chunk_begin(construct, *left, *right);
	construct->ran_last = *right == construct->work.last;
	return 1;
}

/* A section is whose it is that comes first; each thread looks at all, in their order. */
int cape_thread_section(void)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_construct *construct = cape_worker_innermost(worker);
	unsigned long section = construct->next++;

	if (cape_worker_shares(worker)) {
		struct cape_share *share = cape_share_take(worker, construct);

		if (!construct->work.has_job)
			construct->work.job.left =
				__atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED);
		construct->work.has_job = section < construct->work.job.left;
		if (section != construct->work.job.left)
			return 0;
	}
	construct->ran_last = section + 1 == construct->work.last;
	return 1;
}

int cape_thread_is_last(void)
{
	struct cape_construct *construct = cape_thread_innermost();

	construct->assigns = true;
	return construct->ran_last;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * part.c - what a team does that has a part on each node.
 *
 * Its first thread on a node speaks for the node: when all of that have come to a barrier it passes
 * a sync point, while they wait, and then lets them go on.  Parts of reductions that threads have
 * handed over go with it one by one, in the order of threads, so they are added in the same order
 * however the team is spread over nodes.
 */
#include "base/ordering.h"
#include "mixed/mixed.h"
#include "openmp/sharing.h"
#include "planned/planned.h"
#include "profile/profile.h"
#include "sync/log.h"
#include "sync/reduction_list.h"
#include "sync/sync_point.h"
#include "threads/barrier.h"
#include "threads/process.h"
#include "threads/reduction.h"
#include "threads/share.h"
#include "threads/single.h"

/* Constructs of one region that nodes know by number: loops, and after these singles. */
#define FIRST_SINGLE (1ull << 31)

/* The variables of a single construct, which all have said: who has run it gives their values. */
static void add_copyprivate(struct cape_runtime *runtime, struct cape_worker *worker)
{
	struct cape_team *team = worker->team;
	const struct cape_copyprivate *own;

	if (!worker->copyprivate.size)
		return;
	if (!team->has_winner)
		team->copyprivate = &worker->copyprivate;
	for (size_t i = 0; (own = cape_copyprivate_at(team->copyprivate, i)); i++)
		cape_copyprivate_add(runtime, own->address, own->size, team->has_winner);
	team->has_winner = false;
}

static void meet(struct cape_worker *worker, const struct cape_place *place)
{
	struct cape_runtime *runtime = cape_runtime;

	cape_team_barrier(worker);
	/* Not in the child of a fork(). */
	if (worker->is_initial && cape_worker_shares(worker)) {
		add_copyprivate(runtime, worker);
		cape_profile_begin(runtime, place, "barrier");
		cape_sync_point(runtime, CAPE_SYNC_BARRIER, place);
		cape_profile_end(runtime);
	}
	cape_team_barrier(worker);
}

/* By one thread, when all have come. */
static void reduce(const struct cape_reduced_part *part, const void *values)
{
	if (part->combine)
		cape_reduction_list_add_user(cape_runtime, values, part->original, part->size,
					     part->count, part->combine);
	else
		cape_reduction_list_add(cape_runtime, values, part->original, part->op, part->type,
					part->count);
}

/* The same on all nodes, which meet the same constructs in the same order. */
static uint64_t number_for_nodes(const struct cape_runtime *runtime, uint64_t construct)
{
	return (uint64_t)runtime->regions << 32 | construct;
}

/* Iterations for all threads of this node. */
static void get_more(const struct cape_construct *construct, struct cape_share *share)
{
	struct cape_runtime *runtime = cape_runtime;
	uint64_t least = construct->work.chunk ? construct->work.chunk : 1;
	const struct cape_service_reply *reply;

	if (__builtin_mul_overflow(least, runtime->threads, &least))
		least = UINT64_MAX;
	runtime->ordering->speak(runtime);
	reply = cape_log_ask(
		runtime, (struct cape_service_request){
				 .kind = CAPE_SERVICE_CHUNK,
				 .id = number_for_nodes(runtime, construct->id),
				 .chunk = {.first = 0,
					   .end = construct->work.last - construct->work.first,
					   .least = least,
					   .guided = construct->schedule == CAPE_SCHEDULE_GUIDED,
					   .nodes = runtime->team}});
	share->used_up = reply->result != CAPE_CHUNK_GOT;
	share->next = share->used_up ? 0 : reply->chunk.first;
	share->end = share->used_up ? 0 : reply->chunk.end;
	runtime->ordering->be_silent(runtime);
}

static uint64_t hand_out(struct cape_worker *worker, struct cape_construct *construct,
			 uint64_t *from)
{
	struct cape_share *share = cape_share_take(worker, construct);
	struct cape_service_request loop;
	uint64_t size;

	cape_word_lock(&share->lock, worker->id, worker->looks);
	if (share->next == share->end && !share->used_up)
		get_more(construct, share);
	loop = (struct cape_service_request){
		.chunk = {.end = share->end,
			  .least = construct->work.chunk,
			  .guided = construct->schedule == CAPE_SCHEDULE_GUIDED,
			  .nodes = worker->team->size}};
	*from = share->next;
	size = cape_service_chunk_size(&loop, *from);
	share->next += size;
	cape_word_unlock(&share->lock);
	return size;
}

static void tell_turns(struct cape_worker *worker, struct cape_construct *construct,
		       unsigned long end)
{
	struct cape_runtime *runtime = cape_runtime;
	struct cape_service_request request = {
		.kind = CAPE_SERVICE_ORDERED_DONE,
		.ordered_done = {.first = construct->ordered.announced,
				 .end = end,
				 .loop_first = construct->work.first,
				 .loop_end = construct->work.last}};

	cape_share_take(worker, construct);
	request.id = number_for_nodes(runtime, construct->id);
	runtime->ordering->speak(runtime);
	request.size = cape_log_collect_release(runtime);
	cape_log_ask(runtime, request);
	runtime->ordering->be_silent(runtime);
}

static void await_turn(struct cape_worker *worker, struct cape_construct *construct,
		       unsigned long iteration)
{
	struct cape_service_request request = {
		.kind = CAPE_SERVICE_ORDERED_WAIT,
		.ordered_wait = {.iteration = iteration, .loop_first = construct->work.first}};

	cape_share_take(worker, construct);
	request.id = number_for_nodes(cape_runtime, construct->id);
	cape_mixed_await(worker, request);
}

const struct cape_team_kind cape_mixed_team = {
	.meet = meet,
	.reduce = reduce,
	.hand_out = hand_out,
	.tell_turns = tell_turns,
	.await_turn = await_turn,
};

/* One thread of each node asks for it. */
static bool is_first(uint32_t single)
{
	const struct cape_runtime *runtime = cape_runtime;

	return cape_mixed_ask((struct cape_service_request){
		.kind = CAPE_SERVICE_SINGLE,
		.id = number_for_nodes(runtime, FIRST_SINGLE + single),
		.single.nodes = runtime->team});
}

int cape_mixed_wins(struct cape_worker *worker, bool any)
{
	uint32_t single = worker->singles;
	struct cape_construct *construct;

	if (!cape_thread_single() || !cape_worker_shares(worker))
		return cape_worker_innermost(worker)->ran_single;
	construct = cape_worker_innermost(worker);
	construct->ran_single =
		any && cape_runtime->team > 1 ? is_first(single) : cape_runtime->node == 0;
	return construct->ran_single;
}

uint64_t cape_mixed_single_number(const struct cape_worker *worker)
{
	return number_for_nodes(cape_runtime, FIRST_SINGLE + worker->singles - 1);
}

/* -- known loops (planned/) -------------------------------------------------------------------- */

static bool shares(const struct cape_runtime *runtime)
{
	const struct cape_worker *worker = cape_mixed_worker();

	(void)runtime;
	return worker && cape_worker_shares(worker);
}

static bool describes(void)
{
	return cape_worker_get()->is_initial;
}

static void gather(void)
{
	cape_team_barrier(cape_worker_get());
}

const struct cape_plan_team cape_mixed_plan_team = {
	.shares = shares,
	.describes = describes,
	.gather = gather,
};

/* -- sections ---------------------------------------------------------------------------------- */

int cape_mixed_has_section(struct cape_worker *worker)
{
	struct cape_construct *construct = cape_worker_innermost(worker);
	unsigned long section;

	if (!cape_worker_shares(worker))
		return cape_thread_section();
	section = construct->next++;
	if (section % worker->size != worker->number)
		return 0;
	construct->ran_last = section + 1 == construct->work.last;
	return 1;
}

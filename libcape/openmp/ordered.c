// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ordered.c - the ordered construct: the iterations of a loop take turns.
 *
 * A turn is over when the construct ends, or with the iteration when that did not meet it.  The
 * latter is announced to the service with the next turn or at the end of the chunk: no other node's
 * turn comes before this node's next one, or before the chunk is done.
 */
#include "races/check.h"
#include "openmp/ordered.h"
#include "channel/service.h"
#include "openmp/constructs.h"
#include "profile/profile.h"
#include "sync/log.h"

/* Whether nodes take turns; a team of one, and one inside a region, is in order anyhow. */
static bool takes_turns(const struct cape_runtime *runtime, const struct cape_construct *construct)
{
	return construct->ordered.clause && cape_is_shared_out(runtime) && runtime->team > 1;
}

/* Iterations up to END are done. */
static void tell(struct cape_runtime *runtime, struct cape_construct *construct, unsigned long end,
		 uint64_t size)
{
	struct cape_ordered *ordered = &construct->ordered;

	if (ordered->announced >= end)
		return;
	cape_log_ask(runtime, (struct cape_service_request){
				      .kind = CAPE_SERVICE_ORDERED_DONE,
				      .id = construct->id,
				      .ordered_done = {.first = ordered->announced,
						       .end = end,
						       .loop_first = construct->work.first,
						       .loop_end = construct->work.last},
				      .size = size});
	ordered->announced = end;
}

void cape_ordered_chunk_end(struct cape_runtime *runtime, struct cape_construct *construct)
{
	if (takes_turns(runtime, construct))
		tell(runtime, construct, construct->ordered.right, 0);
}

/* The loop whose turns are taken here, or NULL. */
static struct cape_construct *ordered_loop(struct cape_runtime *runtime)
{
	struct cape_construct *construct = runtime->openmp->depth ? cape_innermost(runtime) : NULL;

	return construct && takes_turns(runtime, construct) ? construct : NULL;
}

void cape_node_ordered_begin_at(const struct cape_place *place)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = ordered_loop(runtime);

	if (!construct)
		return;
	cape_runtime_place(runtime, place);
	if (construct->ordered.announced > construct->ordered.iteration)
		cape_fail(runtime, 0,
			  "%s:%d: node %u: an iteration of the loop at %s:%d comes to 'ordered' a "
			  "second time; OpenMP allows one in each iteration",
			  place->file, place->line, runtime->node, construct->place->file,
			  construct->place->line);
	cape_profile_begin(runtime, place, "ordered");
	tell(runtime, construct, construct->ordered.iteration, 0);
	cape_log_ask(runtime, (struct cape_service_request){
				      .kind = CAPE_SERVICE_ORDERED_WAIT,
				      .id = construct->id,
				      .ordered_wait = {.iteration = construct->ordered.iteration,
						       .loop_first = construct->work.first}});
}

void cape_node_ordered_end(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = ordered_loop(runtime);

	if (!construct)
		return;
	cape_check_release(runtime, CAPE_ORDER_TURN, construct->id);
	tell(runtime, construct, construct->ordered.iteration + 1,
	     cape_log_collect_release(runtime));
	cape_profile_end(runtime);
}

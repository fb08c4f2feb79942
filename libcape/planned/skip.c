// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * skip.c - sync points at which nodes do not meet: all nodes know what was written, and nothing
 * comes before the next loop that is known, too.  That may be in another region: if the program
 * touches shared memory before it, they meet then.  Nor do they where nothing has been written: at
 * a barrier, or at the end of a region, right after the end of a loop at which they did not.
 *
 * Who reads something waits until the node that wrote it has come to the same sync point: its
 * version says so (channel/near.h).  Who writes waits until nobody copies any more what was there
 * before: until all have what they read in the loop before this one.  So nodes are never more than
 * a loop apart.  Where writers send what others read (need/flow.c) nobody has to wait for that.
 */
#include "channel/near.h"
#include "need/divided.h"
#include "need/parts.h"
#include "openmp/constructs.h"
#include "openmp/region.h"
#include "planned/planned.h"
#include "profile/profile.h"

#define SKIPS_MOST 1024u /* then nodes meet: if they do not agree, that is found */

/* In tests: both kinds of sync points come. */
static bool is_left_out(const struct cape_runtime *runtime)
{
	return runtime->channel->flags & (CAPE_CHANNEL_VERIFY | CAPE_CHANNEL_STRESS) &&
	       runtime->planned->skipped > 2;
}

/* Whether all that the loop has changed, if there was one, has been said. */
static bool is_loop_known(const struct cape_planned *planned)
{
	return planned->on && !planned->pipeline.is_planned &&
	       (planned->looked || planned->bases_due) && !planned->on->leaves &&
	       !planned->construct->assigns;
}

/*
 * Whether nothing can have changed.  At the end of a region nodes exchange more than memory, unless
 * nothing else has run in it: then there was no sync point at which they met.
 */
static bool is_idle(const struct cape_planned *planned, const struct cape_place *end)
{
	return planned->is_idle && !(end && planned->looked);
}

/* The same on all nodes. */
static bool is_possible(struct cape_runtime *runtime, const struct cape_place *end)
{
	const struct cape_planned *planned = runtime->planned;

	return planned->quiet && planned->sure && !planned->reduced_count && !planned->changes &&
	       (is_loop_known(planned) || is_idle(planned, end)) && !runtime->need->threads &&
	       !runtime->need->ends && planned->skipped < SKIPS_MOST && !is_left_out(runtime) &&
	       cape_plan_passes_common(runtime);
}

/* Small pieces: that costs others less than to read this node's memory. */
static void post_written(struct cape_runtime *runtime, const struct cape_plan *plan)
{
	const struct cape_ranges *own = &plan->write[runtime->node];

	if (!runtime->need->divided.sends)
		cape_near_post(runtime->channel, own->range, own->count);
}

/* What the loop that is over has written others may read. */
static void say_written(struct cape_runtime *runtime, const struct cape_plan *plan)
{
	/* Until now more may have been read. */
	if (plan->with->anywhere && !runtime->need->divided.sends)
		cape_near_brought(runtime->channel);
	post_written(runtime, plan);
	cape_need_raise_version(runtime);
	cape_profile_planning(runtime, CAPE_PLANNED_QUIET);
}

bool cape_planned_skip(struct cape_runtime *runtime, const struct cape_place *end)
{
	struct cape_planned *planned = runtime->planned;

	if (!is_possible(runtime, end) || (end && runtime->need->handles))
		return false;
	cape_planned_write(runtime);
	runtime->need->runs_known = false;
	if (planned->on)
		say_written(runtime, planned->on);
	cape_profile_planning(runtime, CAPE_PLANNED_SKIPPED);
	planned->skipped++;
	planned->is_idle = true;
	planned->on = NULL;
	planned->quiet = planned->is_due_all = false;
	planned->left = end;
	return true;
}

void cape_planned_meet(struct cape_runtime *runtime, bool stays_divided)
{
	struct cape_planned *planned = runtime->planned;

	if (planned->left) {
		planned->quiet = stays_divided;
		cape_region_meet(runtime, planned->left);
		planned->bases_due = false;
	}
	planned->left = NULL;
}

/* What this node is about to write others have read. */
static void await_readers(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_channel *channel = runtime->channel;

	if (!planned->on->with->anywhere)
		cape_near_brought(channel);
	for (unsigned node = 0; planned->skipped && node < runtime->nodes; node++)
		if (node != runtime->node)
			cape_near_await_brought(channel, node, planned->brought);
	planned->brought = channel->fetch.version;
}

void cape_planned_begin(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	if (!runtime->need->divided.sends)
		await_readers(runtime);
	if (planned->skipped)
		cape_divided_drop(runtime);
}

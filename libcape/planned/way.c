// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * way.c - planned exchange as a way of exchange: exchange by need, but at the end of a known loop
 * all nodes know what each has written, and nobody looks for it.
 */
#include "base/way.h"

#include <errno.h>
#include "channel/near.h"
#include "checkpoint/exact.h"
#include "message/exchange.h"
#include "memory/directory.h"
#include "memory/written.h"
#include "need/divided.h"
#include "need/parts.h"
#include "openmp/team.h"
#include "planned/planned.h"
#include "profile/profile.h"
#include "system/number.h"

#define LESSONS_MOST 64 /* after so many the pages that a loop reads are learned anew */

/* What the loop has written. */
static void write_all(struct cape_runtime *runtime, struct cape_plan *plan)
{
	for (unsigned node = 0; node < runtime->nodes; node++)
		for (size_t i = 0; i < plan->write[node].count; i++)
			cape_divided_write(runtime, node, plan->write[node].range[i]);
}

static void write_plan(struct cape_runtime *runtime, struct cape_plan *plan)
{
	const struct cape_directory *directory = runtime->directory;
	bool within = cape_plan_writes_within(runtime, plan);
	uint64_t state = directory->state, here = directory->here;

	if (!within)
		cape_plan_step(runtime, plan, CAPE_PLAN_WRITES, write_all);
	else if (runtime->channel->flags & CAPE_CHANNEL_VERIFY)
		write_all(runtime, plan);
	if (within && (directory->state != state || directory->here != here))
		cape_fail(runtime, 0,
			  "what the loop at %s:%d writes was not written before: "
			  "please report that, and build the program with --no-plan",
			  plan->place->file, plan->place->line);
	cape_plan_note_written(runtime, plan);
}

static bool writes_any(struct cape_runtime *runtime, const struct cape_plan *plan,
		       const struct cape_need_list *pages)
{
	bool any = false;

	for (size_t i = 0; i < pages->count && !any; i++)
		any = cape_plan_writes(runtime, plan, pages->range[i]);
	return any;
}

/* What this node fetched before a loop that has written it means nothing after that. */
static void forget_fetched(struct cape_runtime *runtime, const struct cape_plan *plan)
{
	struct cape_need_list *fetched = &runtime->need->fetched, *left = &runtime->need->left;
	struct cape_need_list before = *fetched;

	if (!writes_any(runtime, plan, &before))
		return;
	if (!left->range)
		left->range = cape_must_reserve(runtime, CAPE_NEED_LIST);
	left->count = 0;
	for (size_t i = 0; i < before.count; i++)
		for (uint64_t at = before.range[i].start; at < before.range[i].end; at += CAPE_PAGE)
			if (!cape_plan_writes(runtime, plan,
					      (struct cape_range){at, at + CAPE_PAGE}))
				cape_need_list_add(left, (struct cape_range){at, at + CAPE_PAGE});
	*fetched = *left;
	*left = before;
}

static void learn(struct cape_runtime *runtime, struct cape_plan *plan)
{
	struct cape_ranges *faults = &runtime->need->faults;

	if (!plan->with->anywhere)
		return;
	/* What it does not read any more is forgotten in time. */
	if (++plan->lessons % LESSONS_MOST == 0)
		plan->learned.count = 0;
	for (size_t i = 0; i < faults->count; i++)
		cape_ranges_add(runtime, &plan->learned, faults->range[i]);
	faults->count = 0;
}

/*
 * What the loop has written, or what was said before, is all that has changed, if there was a sync
 * point in the region: what sequential code left on one node alone has been found then.
 */
static void look_at(struct cape_runtime *runtime, const struct cape_ranges *changed)
{
	runtime->written->loop_known = runtime->planned->looked;
	runtime->written->loop_range = changed->range;
	runtime->written->loop_count = changed->count;
}

void cape_planned_write(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	cape_need_look_before_telling(runtime, NULL);
	if (!planned->on)
		return;
	cape_plan_note_end(planned);
	learn(runtime, planned->on);
	forget_fetched(runtime, planned->on);
	write_plan(runtime, planned->on);
	cape_plan_tables_write(runtime, planned->on);
	planned->agreed = cape_number_mix(planned->agreed, planned->on->known);
}

/* What the run time itself writes to, as the place in standard input. */
static int add_due(void *context, struct cape_area *area, struct cape_range pages)
{
	struct cape_runtime *runtime = context;

	(void)area;
	cape_ranges_add(runtime, &runtime->planned->due, pages);
	return 0;
}

static void look(struct cape_runtime *runtime, const struct cape_ranges *readable)
{
	struct cape_planned *planned = runtime->planned;

	/* The log asks; the loop goes on. */
	if (readable) {
		cape_need_look_before_telling(runtime, readable);
		return;
	}
	planned->tables.stood = runtime->need->known;
	runtime->need->known = runtime->need->runs_known = false;
	runtime->need->flow.inside = true;
	cape_planned_write(runtime);
	if (planned->on) {
		if (!planned->construct->is_parallel)
			look_at(runtime, &planned->on->left);
		/* The version is the same until this sync point is over. */
		cape_near_withdraw(runtime->channel);
	}
	if (!planned->on && planned->is_due_all && planned->tables.stood &&
	    !planned->pipeline.is_planned) {
		cape_directory_each(runtime, CAPE_PAGES_WRITTEN, add_due, runtime);
		look_at(runtime, &planned->due);
	}
	planned->looked = true;
	planned->is_due_all = false;
}

static void put(struct cape_runtime *runtime, struct cape_message_writer *writer)
{
	cape_message_header(writer)->known = runtime->planned->agreed;
	cape_need_put(runtime, writer);
}

/* NODE does not say what this one does. */
static void __attribute__((noreturn)) fail(struct cape_runtime *runtime, unsigned node)
{
	const struct cape_planned *planned = runtime->planned;
	const struct cape_place *place =
		planned->left ? planned->left : cape_innermost(runtime)->place;

	cape_fail(runtime, 0,
		  "nodes %u and %u do not agree on what %s %s:%d writes: its bounds and "
		  "indices must be the same for all threads; build the program with --no-plan",
		  runtime->node, node,
		  planned->skipped ? "the loop, or one of those before it, at" : "the loop at",
		  place->file, place->line);
}

/* What comes next may be unknown.  After a region that needs no bases: the next one has its own. */
static void expect_anything(struct cape_runtime *runtime)
{
	if (cape_exchange_message(runtime, runtime->node)->kind == CAPE_SYNC_END)
		runtime->planned->bases_due = false;
	cape_plan_settle(runtime);
}

/* The messages are here. */
static void resolve(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	runtime->written->loop_known = false;
	for (unsigned node = 0; node < runtime->nodes; node++)
		if (cape_exchange_message(runtime, node)->known != planned->agreed)
			fail(runtime, node);
	planned->agreed = planned->skipped = 0;
	planned->is_idle = false;
	cape_divided_drop(runtime);
	/* What comes after a loop that was not planned is as little known. */
	if (!planned->quiet)
		expect_anything(runtime);
	cape_need_resolve(runtime);
}

/* Until the next sync point nothing changes but what was said. */
static void expect_changes(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	planned->is_due_all = planned->quiet && !planned->prints;
	planned->due.count = 0;
	for (size_t i = 0; i < planned->changes; i++)
		cape_ranges_add(runtime, &planned->due, planned->change[i]);
	planned->changes = 0;
}

static void settle(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	/* Else there are no copies any more.  What this lists sequential code may change next. */
	if (planned->quiet) {
		cape_plan_leave_reduced(runtime);
		cape_divided_drop(runtime);
	}
	if (planned->quiet && (((!planned->sure || cape_plan_reads_reduced(runtime)) &&
				!cape_plan_passes_common(runtime)) ||
			       !cape_plan_changes_common(runtime))) {
		planned->quiet = false;
		expect_anything(runtime);
	}
	if (!planned->tables.stood)
		cape_plan_tables_age(runtime);
	cape_plan_tables_change(runtime, planned->reduced, planned->reduced_count);
	cape_plan_tables_change(runtime, planned->change, planned->changes);
	expect_changes(runtime);
	planned->reduced_count = 0;
	if (planned->quiet && planned->on)
		cape_profile_planning(runtime, CAPE_PLANNED_QUIET);
	cape_need_reduced(runtime);
	runtime->need->known = planned->quiet;
	runtime->need->flow.inside = false;
	planned->on = NULL;
	planned->quiet = planned->pipeline.is_planned = false;
}

/* Whether the region that is entered begins with known loops, and this run may plan any. */
static bool begins_known(struct cape_runtime *runtime)
{
	return runtime->planned->region == cape_innermost(runtime)->place &&
	       cape_plan_fits_run(runtime);
}

static void enter(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;
	const struct cape_construct *construct = cape_innermost(runtime);

	runtime->need->known = begins_known(runtime) &&
			       cape_team_size(runtime, construct) == cape_team_all(runtime);
	planned->region = NULL;
	planned->looked = planned->is_due_all = planned->is_idle = false;
	if (!runtime->need->known || !runtime->need->waits)
		cape_plan_tables_age(runtime);
	cape_planned_await_between(runtime);
	if (!runtime->need->known) {
		cape_planned_meet(runtime, false);
		cape_plan_settle(runtime);
	}
	planned->left = NULL;
	cape_need_enter(runtime);
	/* The program may have made threads since. */
	runtime->need->known &= runtime->need->on;
	if (!runtime->need->known)
		return;
	cape_divided_reopen(runtime);
	cape_plan_bring_passes(runtime);
}

static void forget_said(struct cape_runtime *runtime)
{
	runtime->planned->quiet = false;
}

static void leave(struct cape_runtime *runtime, bool untouched)
{
	runtime->planned->bases_due &= runtime->planned->left != NULL;
	cape_need_leave(runtime, untouched);
}

/*
 * What a thread of another node hands on: where the page is not here nothing of it is read, and
 * else this node writes to other bytes of it.
 */
static int reach(struct cape_runtime *runtime, const struct cape_area *area,
		 const struct cape_exact_run *run, unsigned char **memory, unsigned char **twin)
{
	const struct cape_directory_page *page = cape_directory_page(area, run->address);

	if (!runtime->planned->pipeline.is_planned || !page || !page->agreed.holders)
		return cape_way_need.reach(runtime, area, run, memory, twin);
	if (run->address % CAPE_PAGE + run->length > CAPE_PAGE)
		return -EBADMSG;
	if (!cape_divided_is_open(runtime, area, run->address))
		*memory = runtime->need->unused;
	else
		*memory = (void *)(uintptr_t)run->address;
	*twin = *memory;
	return 1;
}

void cape_planned_take_way(struct cape_runtime *runtime)
{
	struct cape_exchange_way *way = &runtime->planned->way;

	if (runtime->way == way)
		return;
	runtime->need->divided.sends = !cape_near_is_open(runtime->channel);
	*way = cape_way_need;
	/* What regions before have said nobody has taken back. */
	runtime->planned->quiet = false;
	runtime->planned->changes = 0;
	way->look = look;
	way->put = put;
	way->resolve = resolve;
	way->settle = settle;
	way->enter = enter;
	way->fold = cape_planned_fold;
	way->leave = leave;
	way->forget_said = forget_said;
	way->reach = reach;
	way->skip = cape_planned_skip;
	way->touched = cape_planned_touched;
	way->touched_read = cape_planned_touched_read;
	runtime->way = way;
}

/* The first region, too, begins in this way. */
static void prepare(struct cape_runtime *runtime)
{
	if (begins_known(runtime))
		cape_planned_take_way(runtime);
}

/* Of a region that may not be active: then it is not entered. */
CAPE_EXPORT void cape_plan_region(void)
{
	struct cape_runtime *runtime = cape_runtime_get();

	/* Threads alone have other constructs, and a process that was forked has none. */
	if (!runtime->channel || runtime->nodes == 1 || !cape_is_member(runtime))
		return;
	runtime->need->prepare = prepare;
	runtime->planned->region = cape_innermost(runtime)->place;
	runtime->planned->passes = 0;
}

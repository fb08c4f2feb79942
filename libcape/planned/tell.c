// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tell.c - a loop's sets, as the program tells them for every node before the loop runs.
 */
#include <stdarg.h>
#include "channel/near.h"
#include "memory/apart.h"
#include "memory/frame.h"
#include "message/exchange.h"
#include "need/divided.h"
#include "need/parts.h"
#include "openmp/constructs.h"
#include "openmp/replicate.h"
#include "openmp/team.h"
#include "planned/planned.h"
#include "profile/profile.h"
#include "sync/sync_point.h"
#include "system/number.h"
#include "system/ranges.h"

#define PARTS_MOST  16384u /* chunks of all nodes */
#define ROUND_BYTES 256u   /* take as long to find as a round takes to describe, or longer */

/* -- whether a loop can be planned: the same on all nodes -------------------------------------- */

static bool is_possible(struct cape_runtime *runtime)
{
	bool all = cape_constructs->size() == cape_team_all(runtime);
	bool together = cape_plan_fits_run(runtime);
	bool is_static = runtime->planned->construct->schedule == CAPE_SCHEDULE_STATIC;

	if (!together || !all || !is_static)
		cape_profile_planning(runtime, !together ? CAPE_UNPLANNED_RUN
					       : !all	 ? CAPE_UNPLANNED_TEAM
							 : CAPE_UNPLANNED_ORDER);
	return together && all && is_static;
}

/* Whether this node can read the memory of all others. */
static bool can_read(struct cape_runtime *runtime)
{
	const struct cape_range page = {cape_page_floor((uintptr_t)&cape_runtime),
					cape_page_floor((uintptr_t)&cape_runtime) + 64};
	bool can = true;

	for (unsigned node = 0; node < runtime->nodes; node++)
		can &= node == runtime->node || cape_near_can_copy(runtime->channel, node, page);
	return can;
}

/* All nodes try, and say so. */
static void try(struct cape_runtime *runtime, const struct cape_place *place)
{
	struct cape_planned *planned = runtime->planned;
	unsigned char can;

	planned->tried = planned->usable = true;
	if (runtime->need->divided.sends)
		return;
	can = can_read(runtime);
	cape_exchange(runtime, CAPE_SYNC_CHECK, &can, sizeof(can), place);
	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct cape_message *message = cape_exchange_message(runtime, node);

		planned->usable &= message->size[CAPE_SECTION_FREE] == 1 &&
				   *cape_message_get(message, CAPE_SECTION_FREE) == 1;
	}
}

void cape_plan_fall_back(struct cape_runtime *runtime, const struct cape_intervals *writes)
{
	const struct cape_place *place = runtime->planned->construct->place;
	bool meets = runtime->planned->skipped;

	runtime->planned->is_idle = false;
	if (meets && writes)
		cape_plan_know(runtime, place);
	else if (meets)
		cape_sync_point(runtime, CAPE_SYNC_BARRIER, place);
	runtime->need->known = false;
	cape_plan_settle_pages(runtime);
	if (writes)
		cape_plan_make_bases_of(runtime, writes);
	else
		cape_plan_make_bases(runtime);
	cape_need_raise_version(runtime);
	/* Others may still read here the pointers by which the loop finds its memory. */
	if (!meets)
		cape_planned_await_all(runtime);
}

/* Instead of PLACE, where sequential code meets the loop. */
static const struct cape_place *of_sequential(const struct cape_place *place)
{
	return (const struct cape_place *)((uintptr_t)place + 1);
}

/* -- all has been described ------------------------------------------------------------------- */

/* Where the loop read before it may read again, and what is open must be right. */
static void bring_learned(struct cape_runtime *runtime, struct cape_ranges *learned)
{
	struct cape_ranges *faults = &runtime->need->faults;

	cape_divided_copy(runtime, learned->range, learned->count);
	cape_divided_refresh(runtime);
	faults->count = 0;
}

static void bring_all(struct cape_runtime *runtime, struct cape_plan *plan)
{
	const struct cape_ranges *own = &plan->write[runtime->node];

	cape_divided_bring(runtime, cape_plan_reads_left(runtime, plan));
	cape_divided_open(runtime, own->range, own->count);
}

/* Before PLAN's loop. */
static void bring(struct cape_runtime *runtime, struct cape_plan *plan)
{
	if (!plan->with->anywhere) {
		cape_plan_step(runtime, plan, CAPE_PLAN_BRINGS, bring_all);
		return;
	}
	/* What is open has to come before each such loop. */
	cape_divided_be_exact(runtime);
	bring_all(runtime, plan);
	bring_learned(runtime, &plan->learned);
}

static enum cape_planning use_of(const struct cape_planned *planned, const struct cape_plan *plan)
{
	if (plan->use != CAPE_PLANNED || !plan->with->fails)
		return plan->use;
	if (planned->listing.waits)
		return CAPE_UNPLANNED_ONCE;
	return planned->listing.refuses ? CAPE_UNPLANNED_LISTS : CAPE_UNPLANNED_PARTS;
}

/* Whether it is of no use to try the loop again at once. */
static bool is_to_wait(struct cape_planned *planned, enum cape_planning use)
{
	/* Pages that several nodes write may become common. */
	if (cape_plan_meets_again(planned, planned->where, use == CAPE_UNPLANNED_BYTES))
		return true;
	if (use == CAPE_UNPLANNED_BYTES)
		return planned->listing.of || planned->on->again;
	return use == CAPE_UNPLANNED_PARTS || use == CAPE_UNPLANNED_LISTS ||
	       use == CAPE_UNPLANNED_LOSS;
}

/* All has been described, unless it is as it was. */
static void end_describing(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	if (planned->again)
		return;
	/* The dimensions of pipelines are their rounds. */
	if (!planned->pipeline.is_planned && !planned->failed)
		cape_plan_join_columns(runtime);
	cape_plan_rows_end(planned);
	planned->reads = cape_number_mix(planned->reads, planned->reads_failed);
}

/* What each node writes in a loop that is not planned; NULL: nobody knows. */
static const struct cape_intervals *written_unplanned(const struct cape_runtime *runtime,
						      enum cape_planning use)
{
	const struct cape_planned *planned = runtime->planned;
	bool found = use == CAPE_UNPLANNED_BYTES && !planned->again && !planned->on->again;

	return found ? planned->scratch : NULL;
}

bool cape_plan_start(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;
	const struct cape_intervals *writes;
	enum cape_planning use = planned->rows.lacks ? CAPE_UNPLANNED_LISTS : CAPE_UNPLANNED_PARTS;

	end_describing(runtime);
	if (!planned->failed) {
		planned->on = cape_plan_find(runtime, planned->construct->place);
		if (!planned->on->again)
			cape_plan_find_within(runtime, planned->on);
		use = use_of(planned, planned->on);
		if (use == CAPE_PLANNED && cape_plan_does_not_pay(runtime, planned->on))
			use = CAPE_UNPLANNED_LOSS;
		/* Else lists would not be asked for again. */
		if (!planned->listing.waits && !planned->listing.refuses)
			cape_plan_key_keep(runtime, planned->on);
	}
	cape_profile_planning(runtime, use);
	if (is_to_wait(planned, use))
		cape_plan_refuse(planned, planned->where, use);
	if (use != CAPE_PLANNED) {
		writes = written_unplanned(runtime, use);
		planned->on = NULL;
		cape_plan_fall_back(runtime, writes);
		return false;
	}
	bring(runtime, planned->on);
	cape_planned_begin(runtime);
	runtime->need->runs_known = !planned->on->with->anywhere;
	return true;
}

/* -- telling ----------------------------------------------------------------------------------- */

static void begin_thread(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	planned->node = planned->thread / runtime->threads;
	planned->job =
		cape_job_make(&planned->construct->work, planned->thread, cape_team_all(runtime));
}

void cape_plan_begin_describing(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	planned->thread = planned->parts = planned->rounds = 0;
	planned->covered = 0;
	planned->began = cape_now();
	planned->rounds_most = cape_plan_rounds_most(
		planned, planned->spread ? of_sequential(planned->where) : planned->where);
	planned->described_count = planned->needs.count = 0;
	planned->latest[0] = planned->latest[1] = 0;
	planned->writes = 1;
	planned->reads = 1 + planned->spread;
	planned->until = cape_team_all(runtime);
	planned->failed = planned->reads_failed = false;
	planned->listing.of = NULL;
	planned->listing.refuses = planned->listing.waits = false;
	cape_plan_plain_begin(runtime);
	cape_plan_rows_begin(planned);
	cape_plan_key_begin(runtime);
}

void cape_plan_begin_own(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	planned->thread = runtime->node * runtime->threads;
	planned->until = planned->thread + runtime->threads;
	planned->parts = 0;
	begin_thread(runtime);
}

void cape_plan_know(struct cape_runtime *runtime, const struct cape_place *place)
{
	/* Whatever was said of the time since an earlier sync point. */
	cape_plan_begin_quiet(runtime->planned, runtime->need->known);
	cape_sync_point(runtime, CAPE_SYNC_BARRIER, place);
}

bool cape_plan_open(struct cape_runtime *runtime, const struct cape_place *place)
{
	struct cape_planned *planned = runtime->planned;
	bool can = is_possible(runtime) && !cape_plan_is_refused(runtime, planned->where);

	planned->is_idle = false;
	if (can)
		cape_planned_take_way(runtime);
	if (can && !planned->tried)
		try(runtime, place);
	if (!can || !planned->usable) {
		if (runtime->need->known)
			cape_plan_fall_back(runtime, NULL);
		return false;
	}
	if (!runtime->need->known)
		cape_plan_know(runtime, place);
	return true;
}

/* Whether the sets are to be described. */
static bool begin(struct cape_runtime *runtime, const struct cape_place *place)
{
	struct cape_planned *planned = runtime->planned;
	const struct cape_work *work = &planned->construct->work;

	if (!cape_plan_open(runtime, place))
		return false;
	planned->waits = true;
	cape_plan_begin_describing(runtime);
	/* What decides on nothing may not exist. */
	if (work->first >= work->last) {
		cape_plan_start(runtime);
		return false;
	}
	begin_thread(runtime);
	return true;
}

CAPE_EXPORT int cape_plan_begin_at(const struct cape_place *place)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;
	struct cape_construct *construct;
	bool described = false;

	if (!planned->team || runtime->nodes == 1 || !planned->team->shares(runtime))
		return 0;
	construct = cape_constructs->innermost();
	cape_profile_phase(runtime, CAPE_PHASE_FIND);
	/* Nobody runs anything unknown any more; later, all has been described. */
	planned->team->gather();
	if (planned->team->describes()) {
		planned->construct = construct;
		planned->where = construct->place;
		planned->waits = false;
		described = begin(runtime, place);
	}
	if (!described)
		planned->team->gather();
	construct->waits = planned->waits;
	if (!described)
		cape_profile_phase(runtime, CAPE_PHASE_WORK);
	return described;
}

CAPE_EXPORT int cape_plan_begin_spread_at(const void *frame, const struct cape_place *place)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;

	if (!cape_plan_can_spread(runtime, frame) ||
	    cape_plan_is_refused(runtime, of_sequential(cape_innermost(runtime)->place)))
		return cape_plan_begin_at(place);
	cape_profile_phase(runtime, CAPE_PHASE_FIND);
	planned->spread = true;
	planned->frame = frame;
	planned->construct = cape_innermost(runtime);
	planned->where = planned->construct->place;
	cape_plan_begin_describing(runtime);
	begin_thread(runtime);
	return 1;
}

/* Sequential code is brought nothing here: then not all of the sets are known. */
CAPE_EXPORT void cape_plan_need(unsigned long address, unsigned long size)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;
	const struct cape_area *area;
	struct cape_range range = {address, address + size};

	if (cape_plan_was_needed(planned, range))
		return;
	area = cape_areas_find(runtime->areas, address, size);
	if (planned->spread && area && area->directory &&
	    !cape_directory_is_common(runtime, range)) {
		planned->failed = planned->reads_failed = true;
		return;
	}
	if (area && area->directory && !planned->spread) {
		cape_ranges_add(runtime, &planned->needs, range);
		cape_divided_bring_to_all(runtime, &range, 1);
	}
	cape_plan_key_memory(runtime, address, size);
}

/* All of the job's iterations, which are one each, in equal distances. */
static bool take_job(struct cape_job *job, unsigned long *left, unsigned long *right,
		     unsigned long *stride)
{
	if (!stride || job->chunk != 1)
		return false;
	*stride = job->workers;
	*left = job->left;
	*right = job->left + (job->last - 1 - job->left) / job->workers * job->workers + 1;
	job->valid = false;
	return true;
}

CAPE_EXPORT int cape_plan_part(unsigned long *left, unsigned long *right, unsigned long *stride)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;

	if (stride)
		*stride = 1;
	while (!planned->failed && planned->thread < planned->until) {
		if (planned->job.valid) {
			planned->failed = !planned->listing.on && ++planned->parts > PARTS_MOST;
			return take_job(&planned->job, left, right, stride) ||
			       cape_job_next(&planned->job, left, right);
		}
		if (++planned->thread < planned->until)
			begin_thread(runtime);
	}
	return 0;
}

/* Whether to look for what is written, on all its pages, would take longer.  The same everywhere.
 */
static bool is_large(const struct cape_planned *planned)
{
	return planned->rounds <= CAPE_PLAN_ROUNDS_MOST &&
	       (uint64_t)planned->rounds * ROUND_BYTES < planned->covered;
}

/* All nodes go through the same rounds. */
CAPE_EXPORT int cape_plan_round(void)
{
	struct cape_planned *planned = cape_runtime_get()->planned;

	if (planned->listing.on)
		return cape_plan_list_round(&planned->listing);
	planned->failed |= ++planned->rounds > planned->rounds_most && !is_large(planned);
	return !planned->failed;
}

static uint64_t number_of(const struct cape_described *described, uint64_t number)
{
	number = cape_number_mix(
		cape_number_mix(cape_number_mix(number, described->box.at), described->box.size),
		described->set);
	number = cape_number_mix(number, described->node);
	for (unsigned i = 0; i < described->box.dimensions; i++)
		number = cape_number_mix(cape_number_mix(number, described->box.dimension[i].count),
					 (uint64_t)described->box.dimension[i].stride);
	return number;
}

/* What is written decides, too, by its order, on what has to come before it is read (before.c). */
static uint64_t number_of_read(const struct cape_described *described, uint64_t number)
{
	bool is_read = described->set != CAPE_SET_WRITE && described->set != CAPE_SET_FILL;

	if (!is_read && !described->order)
		return number;
	number = number_of(described, number);
	if (!described->order)
		return number;
	return cape_number_mix(
		cape_number_mix(cape_number_mix(number, described->order), described->loops),
		described->part);
}

/* The last box is none.  Others do not know of what is read here; of what is written they do. */
static void leave_out(struct cape_planned *planned, enum cape_set set)
{
	planned->described_count--;
	if (set != CAPE_SET_READ) {
		planned->failed = true;
		return;
	}
	planned->reads_failed = true;
}

/* Whether this node has to know what NODE reads. */
static bool is_asked(const struct cape_runtime *runtime, unsigned node)
{
	const struct cape_planned *planned = runtime->planned;

	return node == runtime->node || cape_plan_knows_all(runtime) || planned->spread ||
	       planned->pipeline.describing;
}

/* How many it is, about; at most so many that sums of them do not wrap around. */
static uint64_t bytes_of(const struct cape_box *box)
{
	uint64_t bytes = box->size;

	for (unsigned i = 0; i < box->dimensions && bytes < UINT32_MAX; i++)
		if (box->dimension[i].stride)
			bytes *= cape_least(box->dimension[i].count, UINT32_MAX);
	return cape_least(bytes, UINT32_MAX);
}

/* Whether it is the same memory in each round. */
static bool is_still(const struct cape_box *box)
{
	bool still = true;

	for (unsigned i = 0; i < box->dimensions; i++)
		still &= !box->dimension[i].stride;
	return still;
}

CAPE_EXPORT void cape_plan_box(enum cape_set set, unsigned long at, unsigned long size,
			       unsigned long order, unsigned long loops, unsigned long dimensions,
			       ...)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;
	struct cape_described *described;
	struct cape_box listed;
	va_list list;
	bool even;

	if (planned->listing.on) {
		va_start(list, dimensions);
		even = cape_box_read(&listed, at, size, dimensions, list);
		va_end(list);
		cape_plan_list_box(runtime, even ? &listed : NULL);
		return;
	}
	if (set == CAPE_SET_READ && !is_asked(runtime, planned->node))
		return;
	cape_must_grow(runtime, (void **)&planned->described, &planned->described_room,
		       planned->described_count + 1, sizeof(*described));
	described = &planned->described[planned->described_count++];
	described->set = set;
	described->node = planned->node;
	described->part = planned->parts;
	described->order = order;
	described->loops = loops;
	va_start(list, dimensions);
	even = cape_box_read(&described->box, at, size, dimensions, list);
	va_end(list);
	if (!even) {
		leave_out(planned, set);
		return;
	}
	if (set == CAPE_SET_INDEX && planned->pipeline.is_planned && is_still(&described->box))
		cape_plan_need(at, size);
	if (!order && !planned->pipeline.describing)
		cape_box_simplify(&described->box);
	if (set != CAPE_SET_READ) {
		planned->writes = number_of(described, planned->writes);
		planned->covered += bytes_of(&described->box);
	}
	if (is_asked(runtime, described->node))
		planned->reads = number_of_read(described, planned->reads);
	if (cape_plan_take_plain(runtime, described))
		planned->described_count--;
	else
		cape_plan_join_last(planned);
}

CAPE_EXPORT void cape_plan_reads(unsigned long address, unsigned long size)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;

	/* Then all is known. */
	if (planned->listing.of)
		return;
	for (unsigned node = 0; size && node < runtime->nodes; node++) {
		planned->node = node;
		cape_plan_box(CAPE_SET_READ, address, size, 0, 0, 0);
	}
	planned->reads_failed |= !size;
}

/* On the stack apart, as what regions run. */
CAPE_APART_VOID(cape_plan_ready_spread, (void))
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;
	const struct cape_place *place = planned->construct->place;
	struct cape_plan *plan;

	end_describing(runtime);
	/* What is not here does not make it too much. */
	if (planned->failed) {
		if (!planned->reads_failed)
			cape_plan_refuse(planned, of_sequential(place), CAPE_UNPLANNED_PARTS);
	} else {
		plan = cape_plan_find(runtime, place);
		cape_plan_key_keep(runtime, plan);
		if (cape_plan_spread(runtime, plan)) {
			planned->on = plan;
			bring(runtime, plan);
			cape_planned_begin(runtime);
			runtime->need->runs_known = true;
		}
	}
	planned->spread = false;
	cape_frame_wipe();
}

CAPE_EXPORT void cape_plan_ready(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;

	if (planned->spread) {
		cape_plan_ready_spread();
	} else {
		cape_plan_start(runtime);
		/* It is not described so again and again: it is found, or refused. */
		if (planned->rounds > CAPE_PLAN_ROUNDS_FEW)
			cape_replicate_leave_out(runtime, cape_now() - planned->began);
		cape_constructs->innermost()->waits = planned->waits;
		planned->team->gather();
	}
	cape_profile_phase(runtime, CAPE_PHASE_WORK);
}

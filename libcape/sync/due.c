// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * due.c - when the run is saved, and whether all nodes can.
 */
#include "sync/due.h"

#include "base/context.h"
#include "channel/save.h"
#include "message/exchange.h"
#include "replica/open_files.h"
#include "system/libc.h"

CAPE_PART(due, NULL);

void cape_due_enter(struct cape_runtime *runtime)
{
	struct cape_due *due = runtime->due;

	if (!(runtime->channel->flags & CAPE_CHANNEL_SAVE))
		return;
	due->asked = due->reported = false;
	due->entered = cape_now();
	due->called = due->patience = due->again = 0;
}

/* Node 0: as its monitor would have the run saved now. */
static uint32_t ready(const struct cape_runtime *runtime)
{
	return __atomic_load_n(&runtime->channel->save.ready, __ATOMIC_ACQUIRE);
}

/* Node 0, at the end of a region. */
static uint32_t say_at_end(const struct cape_runtime *runtime)
{
	const struct cape_channel_save *save = &runtime->channel->save;

	if (runtime->due->ends + 1 < save->every || runtime->due->points + 1 < save->points)
		return 0;
	return ready(runtime);
}

/* Node 0, inside one: where regions are short, the run is saved after them. */
static uint32_t say_in_region(const struct cape_runtime *runtime)
{
	const struct cape_channel_save *save = &runtime->channel->save;
	uint32_t kind = ready(runtime);

	if (!kind || !save->in_regions || runtime->due->points + 1 < save->points ||
	    (!save->points && cape_now() - runtime->due->entered < save->interval))
		return 0;
	return runtime->due->asked ? kind : CAPE_SAVE_ASKED;
}

void cape_due_put(struct cape_runtime *runtime, struct cape_message *header,
		  enum cape_sync_kind kind)
{
	struct cape_due *due = runtime->due;

	if (kind == CAPE_SYNC_END) {
		header->save = runtime->node == 0 ? say_at_end(runtime) : 0;
		return;
	}
	header->save = runtime->node == 0 ? say_in_region(runtime) : 0;
	/* Who is not in the team does not know of a meeting between chunks. */
	if ((due->asked || kind == CAPE_SYNC_OUTSIDE) && !due->refuse(runtime))
		header->fit = cape_open_files_mark() | 1;
}

/* The first node that cannot says why, once for each region. */
static void tell(struct cape_runtime *runtime, unsigned node)
{
	struct cape_due *due = runtime->due;
	bool mine = node == runtime->node && !due->reported;
	const char *why = mine ? due->refuse(runtime) : NULL;

	due->reported = true;
	if (mine && !why)
		why = "it has other file descriptors open than node 0";
	if (mine)
		dprintf(STDERR_FILENO,
			"cape: the run is not saved at %s:%d, inside a parallel region: node %u: "
			"%s; CAPE tries again at the next barrier or end of a loop, or between two "
			"chunks of a loop\n",
			runtime->channel->state.file, runtime->channel->state.line, node, why);
}

/* The first node that cannot save, or their number. */
static unsigned first_unfit(struct cape_runtime *runtime)
{
	uint32_t fit = cape_exchange_message(runtime, 0)->fit;
	unsigned node = 0;

	while (node < runtime->nodes && fit && cape_exchange_message(runtime, node)->fit == fit)
		node++;
	return node;
}

static void agree_in_region(struct cape_runtime *runtime, uint32_t kind)
{
	struct cape_due *due = runtime->due;
	unsigned unfit;

	due->in_region = 0;
	due->points++;
	if (kind == CAPE_SAVE_ASKED || !kind) {
		due->asked = kind;
		return;
	}
	unfit = first_unfit(runtime);
	if (unfit < runtime->nodes) {
		tell(runtime, unfit);
		return;
	}
	due->in_region = kind;
	due->asked = false;
	due->patience = due->again = 0;
	due->ends = 0;
	due->points = 0;
}

static void settle_at_end(struct cape_due *due, uint32_t said)
{
	due->at_end = said;
	due->ends = said ? 0 : due->ends + 1;
	due->points = said ? 0 : due->points + 1;
}

bool cape_due_of_threads(struct cape_runtime *runtime)
{
	if (!(runtime->channel->flags & CAPE_CHANNEL_SAVE))
		return false;
	settle_at_end(runtime->due, say_at_end(runtime));
	return runtime->due->at_end;
}

void cape_due_agree(struct cape_runtime *runtime, enum cape_sync_kind kind)
{
	struct cape_due *due = runtime->due;
	uint32_t said = cape_exchange_message(runtime, 0)->save;

	if (kind != CAPE_SYNC_END) {
		agree_in_region(runtime, said);
		return;
	}
	settle_at_end(due, said);
}

/* -- between two chunks of a loop ----------------------------------------------------------- */

/*
 * Who waits for a meeting that never is loses this share of the time at most: the wait is longer
 * each time, so that in the end it is as long as the longest chunk, and so is the time in between.
 */
#define PATIENCE_SHARE	  10
#define SHORTEST_PATIENCE 1000000000u

/* Node 0: this one had no effect. */
static void call_off(struct cape_runtime *runtime)
{
	struct cape_due *due = runtime->due;

	due->again = cape_now() + PATIENCE_SHARE * due->patience;
	due->patience *= 2;
	due->called = 0;
}

/* Node 0: whether it calls. */
static bool calls(struct cape_runtime *runtime)
{
	struct cape_due *due = runtime->due;

	due->points++;
	/* Another node has called the last one off, and this one has a chunk since. */
	if (due->called)
		call_off(runtime);
	if (!say_in_region(runtime) || cape_now() < due->again)
		return false;
	if (!due->patience)
		due->patience = runtime->channel->save.interval / PATIENCE_SHARE;
	if (due->patience < SHORTEST_PATIENCE)
		due->patience = SHORTEST_PATIENCE;
	due->called = cape_now();
	return true;
}

enum cape_chunk_call cape_due_chunk(struct cape_runtime *runtime, bool later)
{
	struct cape_due *due = runtime->due;

	if (!(runtime->channel->flags & CAPE_CHANNEL_SAVE) ||
	    (!later && (runtime->node > 0 || !calls(runtime))))
		return CAPE_CHUNK_ONLY;
	if (due->refuse(runtime))
		tell(runtime, runtime->node);
	else if (runtime->node > 0)
		return CAPE_CHUNK_ONLY;
	else if (cape_now() - due->called <= due->patience)
		/* Once: another node may have called it off since. */
		return later ? CAPE_CHUNK_ONLY : CAPE_CHUNK_CALL;
	if (runtime->node == 0)
		call_off(runtime);
	return CAPE_CHUNK_CALL_OFF;
}

void cape_due_used_up(struct cape_runtime *runtime)
{
	runtime->due->called = 0;
}

void cape_due_meet(struct cape_runtime *runtime)
{
	struct cape_due *due = runtime->due;

	due->asked = true;
	if (runtime->node == 0)
		call_off(runtime);
}

void cape_due_save(struct cape_runtime *runtime)
{
	runtime->due->save(runtime);
}

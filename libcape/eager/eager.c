// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * eager.c - eager exchange: every node holds all of shared memory, and what one changed goes to
 * all.
 */
#include "base/context.h"
#include "base/way.h"
#include "checkpoint/runs.h"
#include "message/exchange.h"
#include "profile/profile.h"

static void not_look(struct cape_runtime *runtime, const struct cape_ranges *readable)
{
	(void)runtime;
	(void)readable;
}

static void nothing(struct cape_runtime *runtime)
{
	(void)runtime;
}

static void leave(struct cape_runtime *runtime, bool untouched)
{
	(void)runtime;
	(void)untouched;
}

static void not_read(struct cape_runtime *runtime, const struct cape_range *range)
{
	(void)runtime;
	(void)range;
}

static bool waits(const struct cape_runtime *runtime)
{
	(void)runtime;
	return false;
}

static void list(struct cape_runtime *runtime, struct cape_runs *runs,
		 const struct cape_place *place)
{
	(void)runtime;
	(void)runs;
	(void)place;
}

static bool is_contested(struct cape_runtime *runtime)
{
	(void)runtime;
	return false;
}

static void list_all(struct cape_runtime *runtime, struct cape_runs *runs, cape_page_test *is_alone)
{
	(void)is_alone;
	(void)runtime;
	(void)runs;
}

static void put(struct cape_runtime *runtime, struct cape_message_writer *writer)
{
	(void)runtime;
	(void)writer;
}

static void apply(struct cape_runtime *runtime, bool keep)
{
	(void)runtime;
	(void)keep;
}

static bool open_part(struct cape_runtime *runtime, unsigned node, bool early,
		      struct cape_cursor *cursor)
{
	(void)runtime;
	(void)node;
	(void)early;
	(void)cursor;
	return false;
}

static bool postpones(const struct cape_area *area, uint64_t address, uint64_t size, uint64_t count,
		      bool by_program)
{
	(void)area;
	(void)address;
	(void)size;
	(void)count;
	(void)by_program;
	return false;
}

static uint64_t part(uint64_t address, uint64_t length)
{
	(void)address;
	return length;
}

static bool look_at(struct cape_runtime *runtime, uint64_t address, uint64_t length)
{
	(void)runtime;
	(void)address;
	(void)length;
	return true;
}

static int reach(struct cape_runtime *runtime, const struct cape_area *area,
		 const struct cape_exact_run *run, unsigned char **memory, unsigned char **twin)
{
	(void)runtime;
	(void)area;
	(void)run;
	(void)memory;
	(void)twin;
	return 0;
}

/* All nodes hold all pages: nobody sees what was not published. */
static bool yields(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address)
{
	(void)runtime;
	(void)area;
	(void)address;
	return false;
}

static void took(struct cape_runtime *runtime, const unsigned char *bytes, uint64_t size)
{
	(void)runtime;
	(void)bytes;
	(void)size;
}

static void note_sent(struct cape_runtime *runtime, const struct cape_runs *runs, unsigned others)
{
	cape_profile_runs(runtime, CAPE_TRAFFIC_SENT, runs, others);
}

static bool is_new(const struct cape_runtime *runtime, uint64_t address)
{
	(void)runtime;
	(void)address;
	return false;
}

const struct cape_exchange_way cape_way_eager = {
	.enter = nothing,
	.leave = leave,
	.touched = nothing,
	.touched_read = not_read,
	.waits = waits,
	.share_all = nothing,
	.forget_said = nothing,
	.look = not_look,
	.list = list,
	.list_all = list_all,
	.is_contested = is_contested,
	.put_changes = put,
	.put = put,
	.send_parts = nothing,
	.take_parts = nothing,
	.resolve = nothing,
	.merge = nothing,
	.apply = apply,
	.settle = nothing,
	.open_part = open_part,
	.postpones = postpones,
	.begin_alike = nothing,
	.end_alike = nothing,
	.part = part,
	.look_at = look_at,
	.before_taking = nothing,
	.after_taking = nothing,
	.reach = reach,
	.yields = yields,
	.took = took,
	.note_sent = note_sent,
	.is_new = is_new,
};

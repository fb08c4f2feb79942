// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * due.c - node 0 calls nodes to meet between two chunks: when, how often, and when no more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "channel/meeting.h"
#include "sync/due.c"

#define NODES  3
#define SECOND 1000000000ull

/* What it wants of the run time. */

static uint64_t now;

uint64_t cape_now(void)
{
	return now;
}

uint32_t cape_open_files_mark(void)
{
	return 0;
}

const struct cape_message *cape_exchange_message(struct cape_runtime *runtime, unsigned node)
{
	(void)runtime;
	(void)node;
	fail();
	return NULL;
}

struct world {
	struct cape_due due;
	struct cape_runtime runtime;
	struct cape_meeting meeting;
	struct cape_meeting_guest guest[NODES];
	uint64_t meetings;
};

static struct world world;
static struct cape_channel channel;

static const char *nothing(struct cape_runtime *runtime)
{
	(void)runtime;
	return NULL;
}

/* Node 0's program, in a region, where a save is due. */
static void begin(void)
{
	now = 100 * SECOND;
	world = (struct world){
		.due.refuse = nothing,
		.runtime = {.channel = &channel, .due = &world.due, .nodes = NODES},
	};
	channel.flags = CAPE_CHANNEL_SAVE;
	channel.save.ready = CAPE_SAVE_WHOLE;
	channel.save.in_regions = 1;
	channel.save.points = 1;
	cape_due_enter(&world.runtime);
}

static int asks(uint32_t node, enum cape_chunk_call says)
{
	struct cape_service_request request = {.chunk = {.nodes = NODES, .call = says}};

	return cape_meeting_ask(&world.meeting, &world.meetings, &world.guest[node], &request);
}

static void a_meeting_that_was_called_off_is_over(void **state)
{
	(void)state;
	begin();
	assert_int_equal(asks(0, cape_due_chunk(&world.runtime, false)), CAPE_CHUNK_LATER);
	assert_int_equal(asks(0, cape_due_chunk(&world.runtime, true)), CAPE_CHUNK_LATER);
	assert_int_equal(asks(1, CAPE_CHUNK_ONLY), CAPE_CHUNK_LATER);
	assert_int_equal(asks(1, CAPE_CHUNK_CALL_OFF), CAPE_CHUNK_GOT);
	/* Node 0 has a chunk, too, and so have all for a while. */
	assert_int_equal(asks(0, cape_due_chunk(&world.runtime, true)), CAPE_CHUNK_GOT);
	assert_int_equal(asks(0, cape_due_chunk(&world.runtime, false)), CAPE_CHUNK_GOT);
	assert_int_equal(asks(1, CAPE_CHUNK_ONLY), CAPE_CHUNK_GOT);
	now += 11 * SECOND;
	assert_int_equal(cape_due_chunk(&world.runtime, false), CAPE_CHUNK_CALL);
}

static void node_0_waits_for_a_time_only(void **state)
{
	(void)state;
	begin();
	assert_int_equal(asks(0, cape_due_chunk(&world.runtime, false)), CAPE_CHUNK_LATER);
	now += SECOND / 2;
	assert_int_equal(asks(0, cape_due_chunk(&world.runtime, true)), CAPE_CHUNK_LATER);
	now += SECOND;
	assert_int_equal(asks(0, cape_due_chunk(&world.runtime, true)), CAPE_CHUNK_GOT);
	assert_int_equal(cape_due_chunk(&world.runtime, false), CAPE_CHUNK_ONLY);
}

static void a_loop_without_chunks_puts_nothing_off(void **state)
{
	(void)state;
	begin();
	for (int loop = 0; loop < 5; loop++) {
		assert_int_equal(cape_due_chunk(&world.runtime, false), CAPE_CHUNK_CALL);
		cape_due_used_up(&world.runtime);
	}
	assert_int_equal(asks(0, cape_due_chunk(&world.runtime, false)), CAPE_CHUNK_LATER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_meeting_that_was_called_off_is_over),
		cmocka_unit_test(node_0_waits_for_a_time_only),
		cmocka_unit_test(a_loop_without_chunks_puts_nothing_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

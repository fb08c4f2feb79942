// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_loop.c - node 0's book: chunks of loops, singles, ordered, tasks; how each is forgotten.
 */
#include "service_desk.h"

/* All chunks of a loop, asked for by one node after the other; how many there were. */
static unsigned hand_out(struct desk *desk, struct cape_service_request loop, uint64_t *size)
{
	uint64_t next = loop.chunk.first;
	unsigned chunks = 0;
	uint32_t node = 0;

	loop.kind = CAPE_SERVICE_CHUNK;
	for (;;) {
		const struct cape_service_reply *reply = &desk->node[node].reply;

		ask(desk, node, loop, NULL);
		assert_int_equal(reply->entries, 0);
		if (!reply->result)
			break;
		assert_int_equal(reply->chunk.first, next);
		assert_true(reply->chunk.end > reply->chunk.first &&
			    reply->chunk.end <= loop.chunk.end);
		if (size)
			size[chunks] = reply->chunk.end - reply->chunk.first;
		next = reply->chunk.end;
		chunks++;
		node = (node + 1) % loop.chunk.nodes;
	}
	assert_int_equal(next,
			 loop.chunk.end > loop.chunk.first ? loop.chunk.end : loop.chunk.first);
	for (uint32_t i = 1; i < loop.chunk.nodes; i++) {
		node = (node + 1) % loop.chunk.nodes;
		assert_true(*find(desk->book.held, desk->book.held->loops, loop.id));
		ask(desk, node, loop, NULL);
		assert_answer(desk, node, 0);
	}
	assert_false(*find(desk->book.held, desk->book.held->loops, loop.id));
	return chunks;
}

static void chunks_cover_a_loop(void **state)
{
	struct desk *desk = open_desk();
	uint64_t size[64];

	(void)state;
	assert_int_equal(hand_out(desk,
				  (struct cape_service_request){
					  .chunk = {.end = 10, .least = 3, .nodes = 4}},
				  size),
			 4);
	assert_int_equal(size[3], 1);
	/* The same number again is a new loop. */
	assert_int_equal(hand_out(desk,
				  (struct cape_service_request){
					  .chunk = {.first = 5, .end = 6, .least = 0, .nodes = 5}},
				  size),
			 1);
	assert_int_equal(
		hand_out(desk,
			 (struct cape_service_request){.chunk = {.first = 7, .end = 7, .nodes = 2}},
			 NULL),
		0);
	assert_int_equal(
		hand_out(desk,
			 (struct cape_service_request){.chunk = {.first = 9, .end = 7, .nodes = 1}},
			 NULL),
		0);
	/* To the end of what can be counted. */
	assert_int_equal(hand_out(desk,
				  (struct cape_service_request){.chunk = {.first = UINT64_MAX - 10,
									  .end = UINT64_MAX,
									  .least = UINT64_MAX - 3,
									  .nodes = 3}},
				  size),
			 1);
	assert_int_equal(
		hand_out(desk,
			 (struct cape_service_request){
				 .chunk = {.end = UINT64_MAX, .least = 1ull << 62, .nodes = 3}},
			 size),
		4);
	close_desk(desk);
}

static void guided_chunks_shrink(void **state)
{
	struct desk *desk = open_desk();
	static const uint64_t expected[] = {25, 19, 14, 11, 8, 6, 5, 5, 5, 2};
	uint64_t size[64];

	(void)state;
	assert_int_equal(
		hand_out(desk,
			 (struct cape_service_request){
				 .chunk = {.end = 100, .least = 5, .guided = 1, .nodes = 4}},
			 size),
		10);
	assert_memory_equal(size, expected, sizeof(expected));
	hand_out(desk,
		 (struct cape_service_request){
			 .chunk = {.end = UINT64_MAX, .least = 1, .guided = 1, .nodes = 5}},
		 (uint64_t[4096]){0});
	close_desk(desk);
}

static void nodes_must_agree(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	ASK(desk, 0, NULL, CHUNK, .id = 1, .chunk = {.end = 10, .least = 1, .nodes = 2});
	WRONG(desk, 1, NULL, CHUNK, .id = 1, .chunk = {.end = 11, .least = 1, .nodes = 2});
	WRONG(desk, 1, NULL, CHUNK, .id = 1, .chunk = {.end = 10, .least = 2, .nodes = 2});
	WRONG(desk, 1, NULL, CHUNK, .id = 1, .chunk = {.end = 10, .least = 1, .nodes = 3});
	WRONG(desk, 1, NULL, CHUNK, .id = 2, .chunk = {.end = 10, .least = 1, .nodes = 0});
	WRONG(desk, 1, NULL, CHUNK, .id = 3, .chunk = {.end = 10, .least = 1, .nodes = NODES + 1});
	WRONG(desk, 1, NULL, CHUNK, .id = 4,
	      .chunk = {.end = 10, .least = 1, .nodes = (1ull << 32) + 2});
	ASK(desk, 0, NULL, CHUNK, .id = 5, .chunk.nodes = 2);
	WRONG(desk, 0, NULL, CHUNK, .id = 5, .chunk.nodes = 2);
	WRONG(desk, 0, NULL, SINGLE, .id = 1, .single.nodes = 0);
	WRONG(desk, 0, NULL, SINGLE, .id = 2, .single.nodes = NODES + 1);
	ASK(desk, 0, NULL, SINGLE, .id = 3, .single.nodes = 2);
	WRONG(desk, 0, NULL, SINGLE, .id = 3, .single.nodes = 2);
	WRONG(desk, 1, NULL, SINGLE, .id = 3, .single.nodes = 3);
	close_desk(desk);
}

#define CHUNK(desk, which, says)                                                                   \
	ASK(desk, which, NULL, CHUNK, .id = 7,                                                     \
	    .chunk = {.first = 10, .end = 20, .least = 3, .nodes = 3, .call = CAPE_CHUNK_##says})

static void nodes_meet_between_chunks(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	for (int round = 0; round < 2; round++) {
		CHUNK(desk, 1, ONLY);
		assert_answer(desk, 1, CAPE_CHUNK_GOT);
		CHUNK(desk, 0, CALL);
		assert_answer(desk, 0, CAPE_CHUNK_LATER);
		CHUNK(desk, 2, ONLY);
		assert_answer(desk, 2, CAPE_CHUNK_LATER);
		/* A node counts once. */
		for (uint32_t node = 0; node < 3; node += 2) {
			CHUNK(desk, node, ONLY);
			assert_answer(desk, node, CAPE_CHUNK_LATER);
		}
		for (uint32_t node = 1; node < 4; node++) {
			CHUNK(desk, node % 3, ONLY);
			assert_answer(desk, node % 3, CAPE_CHUNK_ALL_HERE);
			assert_int_equal(desk->node[node % 3].reply.chunk.first, 13 + 3 * round);
		}
	}
	/* Behind the meeting, the rest; at the end nobody meets. */
	CHUNK(desk, 2, ONLY);
	assert_answer(desk, 2, CAPE_CHUNK_GOT);
	assert_int_equal(desk->node[2].reply.chunk.first, 16);
	CHUNK(desk, 2, ONLY);
	assert_answer(desk, 2, CAPE_CHUNK_GOT);
	assert_int_equal(desk->node[2].reply.chunk.end, 20);
	for (uint32_t node = 0; node < 3; node++) {
		CHUNK(desk, node, CALL);
		assert_answer(desk, node, CAPE_CHUNK_NONE);
	}
	assert_false(*find(desk->book.held, desk->book.held->loops, 7));
	close_desk(desk);
}

static void a_meeting_is_called_off(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	CHUNK(desk, 0, CALL);
	CHUNK(desk, 1, ONLY);
	assert_answer(desk, 1, CAPE_CHUNK_LATER);
	CHUNK(desk, 0, CALL_OFF);
	assert_answer(desk, 0, CAPE_CHUNK_GOT);
	assert_int_equal(desk->node[0].reply.chunk.first, 10);
	CHUNK(desk, 1, ONLY);
	assert_answer(desk, 1, CAPE_CHUNK_GOT);
	/* The next one counts anew; when all have come it is too late to call it off. */
	CHUNK(desk, 0, CALL);
	CHUNK(desk, 1, ONLY);
	assert_answer(desk, 1, CAPE_CHUNK_LATER);
	CHUNK(desk, 2, ONLY);
	assert_answer(desk, 2, CAPE_CHUNK_ALL_HERE);
	CHUNK(desk, 0, CALL_OFF);
	assert_answer(desk, 0, CAPE_CHUNK_ALL_HERE);
	CHUNK(desk, 1, ONLY);
	assert_answer(desk, 1, CAPE_CHUNK_ALL_HERE);
	CHUNK(desk, 1, ONLY);
	assert_answer(desk, 1, CAPE_CHUNK_GOT);
	assert_int_equal(desk->node[1].reply.chunk.first, 16);
	close_desk(desk);
}

static void a_node_meets_once(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	CHUNK(desk, 0, CALL);
	CHUNK(desk, 1, ONLY);
	CHUNK(desk, 2, ONLY);
	assert_answer(desk, 2, CAPE_CHUNK_ALL_HERE);
	WRONG(desk, 2, NULL, CHUNK, .id = 7,
	      .chunk = {.first = 10, .end = 20, .least = 3, .nodes = 3});
	for (uint32_t node = 0; node < 2; node++) {
		CHUNK(desk, node, ONLY);
		assert_answer(desk, node, CAPE_CHUNK_ALL_HERE);
	}
	/* Not in a meeting of one loop, and in a later one of another's meanwhile. */
	CHUNK(desk, 0, CALL);
	CHUNK(desk, 1, ONLY);
	ASK(desk, 1, NULL, CHUNK, .id = 8,
	    .chunk = {.end = 20, .nodes = 3, .call = CAPE_CHUNK_CALL});
	assert_answer(desk, 1, CAPE_CHUNK_LATER);
	WRONG(desk, 1, NULL, CHUNK, .id = 7,
	      .chunk = {.first = 10, .end = 20, .least = 3, .nodes = 3});
	close_desk(desk);
}

static void the_first_runs_a_single(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < 3; i++) {
			uint32_t node = (i + (uint32_t)round) % 3;

			ASK(desk, node, NULL, SINGLE, .id = 9, .single.nodes = 3);
			assert_answer(desk, node, i == 0);
		}
		assert_null(shelf_any(&desk->book.singles));
	}
	close_desk(desk);
}

static void ordered_keeps_order(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	ASK(desk, 0, NULL, ORDERED_WAIT, .id = 3,
	    .ordered_wait = {.iteration = 10, .loop_first = 10});
	assert_answer(desk, 0, 1);
	ASK(desk, 2, NULL, ORDERED_WAIT, .id = 3,
	    .ordered_wait = {.iteration = 14, .loop_first = 10});
	ASK(desk, 1, NULL, ORDERED_WAIT, .id = 3,
	    .ordered_wait = {.iteration = 12, .loop_first = 10});
	ASK(desk, 4, "late", ORDERED_DONE, .id = 3,
	    .ordered_done = {.first = 16, .end = 20, .loop_first = 10, .loop_end = 20});
	ASK(desk, 3, "none", ORDERED_DONE, .id = 3,
	    .ordered_done = {.first = 11, .end = 12, .loop_first = 10, .loop_end = 20});
	assert_waits(desk, 1);
	ASK(desk, 0, "zero", ORDERED_DONE, .id = 3,
	    .ordered_done = {.first = 10, .end = 11, .loop_first = 10, .loop_end = 20});
	assert_answer(desk, 1, 1);
	assert_int_equal(desk->node[1].reply.entries, 3);
	assert_entry(desk, 1, 2, 0, "zero");
	assert_waits(desk, 2);
	ASK(desk, 1, NULL, ORDERED_DONE, .id = 3,
	    .ordered_done = {.first = 12, .end = 14, .loop_first = 10, .loop_end = 20});
	assert_answer(desk, 2, 1);
	/* Iterations 16 .. 19 are done already. */
	ASK(desk, 2, NULL, ORDERED_DONE, .id = 3,
	    .ordered_done = {.first = 14, .end = 16, .loop_first = 10, .loop_end = 20});
	assert_null(shelf_any(&desk->book.ordered));
	close_desk(desk);
}

/* Threads of one node wait for several turns beside each other, and are called at theirs. */
static void ordered_calls(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	ASK(desk, 0, "one", FLUSH);
	for (uint32_t i = 0; i < 3; i++) {
		ASK(desk, 1, NULL, ORDERED_WAIT, .id = 3, .tag = i + 1,
		    .ordered_wait = {.iteration = 10 + 2 * i, .loop_first = 10});
		assert_answer(desk, 1, !i);
		assert_int_equal(desk->node[1].reply.entries, !i);
	}
	WRONG(desk, 1, NULL, ORDERED_WAIT, .id = 3, .tag = 2,
	      .ordered_wait = {.iteration = 14, .loop_first = 10});
	ASK(desk, 2, NULL, ORDERED_WAIT, .id = 3,
	    .ordered_wait = {.iteration = 12, .loop_first = 10});
	assert_waits(desk, 2);
	ASK(desk, 0, NULL, ORDERED_DONE, .id = 3,
	    .ordered_done = {.first = 10, .end = 12, .loop_first = 10, .loop_end = 20});
	assert_answer(desk, 2, 1);
	assert_true(is_called(desk, 1, 2) && !is_called(desk, 1, 3));
	ASK(desk, 0, NULL, ORDERED_DONE, .id = 3,
	    .ordered_done = {.first = 12, .end = 20, .loop_first = 10, .loop_end = 20});
	assert_true(is_called(desk, 1, 3) && !is_called(desk, 1, 2));
	assert_null(desk->book.turns);
	close_desk(desk);
}

static void ordered_refuses(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	WRONG(desk, 0, NULL, ORDERED_DONE, .id = 1,
	      .ordered_done = {.first = 3, .end = 2, .loop_first = 0, .loop_end = 9});
	WRONG(desk, 0, NULL, ORDERED_DONE, .id = 1,
	      .ordered_done = {.first = 3, .end = 10, .loop_first = 0, .loop_end = 9});
	WRONG(desk, 0, NULL, ORDERED_DONE, .id = 1,
	      .ordered_done = {.first = 3, .end = 4, .loop_first = 4, .loop_end = 9});
	ASK(desk, 0, NULL, ORDERED_DONE, .id = 1,
	    .ordered_done = {.first = 0, .end = 2, .loop_first = 0, .loop_end = 9});
	WRONG(desk, 0, NULL, ORDERED_DONE, .id = 1,
	      .ordered_done = {.first = 1, .end = 3, .loop_first = 0, .loop_end = 9});
	WRONG(desk, 0, NULL, ORDERED_DONE, .id = 1,
	      .ordered_done = {.first = 2, .end = 3, .loop_first = 0, .loop_end = 10});
	ASK(desk, 0, NULL, ORDERED_DONE, .id = 1,
	    .ordered_done = {.first = 5, .end = 7, .loop_first = 0, .loop_end = 9});
	WRONG(desk, 0, NULL, ORDERED_DONE, .id = 1,
	      .ordered_done = {.first = 4, .end = 6, .loop_first = 0, .loop_end = 9});
	close_desk(desk);
}

/* Every order in which seven stretches can be done. */
static void ordered_in_any_order(void **state)
{

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct desk *desk = open_desk();
		uint64_t first[7] = {0, 1, 4, 5, 9, 10, 12};
		bool done[7] = {0};
		unsigned left = 7;

		ASK(desk, 0, NULL, ORDERED_WAIT, .id = 1, .ordered_wait.iteration = 9);
		ASK(desk, 1, NULL, ORDERED_WAIT, .id = 1, .ordered_wait.iteration = 13);
		while (left) {
			uint64_t k = random_below(&dice, 7);

			if (done[k])
				continue;
			done[k] = true;
			left--;
			ASK(desk, 2, NULL, ORDERED_DONE, .id = 1,
			    .ordered_done = {.first = first[k],
					     .end = k < 6 ? first[k + 1] : 15,
					     .loop_end = 15});
			assert_int_equal(desk->node[0].is,
					 done[0] && done[1] && done[2] && done[3]);
			assert_int_equal(desk->node[1].is, left == 0);
		}
		assert_null(shelf_any(&desk->book.ordered));
		close_desk(desk);
	}
}

static void tasks_go_round(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	ASK(desk, 3, NULL, TASK_TAKE, .id = 1, .task_take.nodes = 4);
	assert_waits(desk, 3);
	ASK(desk, 0, "memoryfirst", TASK_POST, .id = 1, .task_post = {.label = 11, .published = 6});
	assert_answer(desk, 3, 1);
	assert_int_equal(desk->node[3].reply.task.label, 11);
	assert_int_equal(desk->node[3].reply.entries, 2);
	assert_entry(desk, 3, 0, 0, "first");
	assert_int_equal(desk->node[3].entry[0].position, UINT64_MAX);
	assert_entry(desk, 3, 1, 0, "memory");
	ASK(desk, 0, "second", TASK_POST, .id = 1, .task_post.label = 12);
	ASK(desk, 0, "third", TASK_POST, .id = 1, .task_post.label = 13);
	ASK(desk, 0, NULL, TASK_WAIT, .id = 1);
	ASK(desk, 1, NULL, TASK_TAKE, .id = 1, .task_take.nodes = 4);
	assert_entry(desk, 1, 0, 0, "second");
	ASK(desk, 1, "made by second", TASK_DONE, .id = 1, .task_done.number = 1);
	ASK(desk, 2, NULL, TASK_TAKE, .id = 1, .task_take.nodes = 4);
	assert_entry(desk, 2, 0, 0, "third");
	ASK(desk, 2, NULL, TASK_DONE, .id = 1, .task_done.number = 2);
	assert_waits(desk, 0);
	ASK(desk, 3, "made by first", TASK_DONE, .id = 1);
	assert_answer(desk, 0, 1);
	assert_int_equal(desk->node[0].reply.entries, 2);
	assert_entry(desk, 0, 0, 1, "made by second");
	assert_entry(desk, 0, 1, 3, "made by first");
	/* The end: nobody is told before the last task, which posts another one, is done. */
	ASK(desk, 0, "fourth", TASK_POST, .id = 1, .task_post.label = 14);
	ASK(desk, 0, NULL, TASK_CLOSE, .id = 1);
	ASK(desk, 0, NULL, TASK_TAKE, .id = 1, .task_take.nodes = 4);
	assert_answer(desk, 0, 1);
	ASK(desk, 1, NULL, TASK_TAKE, .id = 1, .task_take.nodes = 4);
	assert_waits(desk, 1);
	ASK(desk, 0, "fifth", TASK_POST, .id = 1, .task_post.label = 15);
	assert_answer(desk, 1, 1);
	ASK(desk, 2, NULL, TASK_TAKE, .id = 1, .task_take.nodes = 4);
	ASK(desk, 0, NULL, TASK_DONE, .id = 1, .task_done.number = 3);
	assert_waits(desk, 2);
	ASK(desk, 1, NULL, TASK_DONE, .id = 1, .task_done.number = 4);
	assert_answer(desk, 2, 0);
	ASK(desk, 0, NULL, TASK_TAKE, .id = 1, .task_take.nodes = 4);
	ASK(desk, 1, NULL, TASK_TAKE, .id = 1, .task_take.nodes = 4);
	assert_non_null(shelf_any(&desk->book.groups));
	ASK(desk, 3, NULL, TASK_TAKE, .id = 1, .task_take.nodes = 4);
	assert_answer(desk, 3, 0);
	assert_null(shelf_any(&desk->book.groups));
	close_desk(desk);
}

static void tasks_so_far(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	ASK(desk, 0, NULL, TASK_WAIT, .id = 2);
	assert_answer(desk, 0, 1);
	ASK(desk, 0, "a", TASK_POST, .id = 2);
	ASK(desk, 1, NULL, TASK_TAKE, .id = 2, .task_take.nodes = NODES);
	ASK(desk, 0, NULL, TASK_WAIT, .id = 2);
	/* Posted later: not waited for. */
	ASK(desk, 2, "b", TASK_POST, .id = 2);
	assert_waits(desk, 0);
	ASK(desk, 1, NULL, TASK_DONE, .id = 2);
	assert_answer(desk, 0, 1);
	close_desk(desk);
}

/* A thread was called for tasks since that was asked last. */
static bool is_called_for_tasks(struct desk *desk, uint32_t node)
{
	bool is = desk->node[node].called_for_tasks;

	desk->node[node].called_for_tasks = false;
	return is;
}

/* Nodes of several threads: each takes as many as it can run, and is called for more. */
static void threads_take_tasks(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	ASK(desk, 1, NULL, TASK_TAKE, .id = 1, .tag = CAPE_TAG_OF_TASKS, .task_take.nodes = 2);
	assert_answer(desk, 1, CAPE_TASK_LATER);
	ASK(desk, 1, NULL, TASK_TAKE, .id = 1, .tag = CAPE_TAG_OF_TASKS, .task_take.nodes = 2);
	assert_answer(desk, 1, CAPE_TASK_LATER);
	ASK(desk, 0, "firstmemory", TASK_POST, .id = 1, .task_post = {.label = 1});
	assert_true(is_called_for_tasks(desk, 1));
	ASK(desk, 0, "second", TASK_POST, .id = 1, .task_post = {.label = 2});
	assert_false(is_called_for_tasks(desk, 1));
	ASK(desk, 1, NULL, TASK_TAKE, .id = 1, .tag = CAPE_TAG_OF_TASKS, .task_take.nodes = 2);
	assert_answer(desk, 1, CAPE_TASK_GOT);
	assert_int_equal(desk->node[1].reply.task.number, 0);
	ASK(desk, 1, NULL, TASK_TAKE, .id = 1, .tag = CAPE_TAG_OF_TASKS, .task_take.nodes = 2);
	assert_answer(desk, 1, CAPE_TASK_GOT);
	assert_int_equal(desk->node[1].reply.task.number, 1);
	/* The maker waits, and would take one meanwhile. */
	ASK(desk, 0, NULL, TASK_WAIT, .id = 1, .tag = CAPE_TAG_OF_TASKS);
	assert_answer(desk, 0, 0);
	ASK(desk, 0, NULL, TASK_TAKE, .id = 1, .tag = CAPE_TAG_OF_TASKS, .task_take.nodes = 2);
	assert_answer(desk, 0, CAPE_TASK_LATER);
	ASK(desk, 1, NULL, TASK_DONE, .id = 1, .task_done.number = 1);
	assert_false(is_called_for_tasks(desk, 0));
	ASK(desk, 1, "by first", TASK_DONE, .id = 1, .task_done.number = 0);
	assert_true(is_called_for_tasks(desk, 0));
	WRONG(desk, 1, NULL, TASK_DONE, .id = 1, .task_done.number = 0);
	ASK(desk, 0, NULL, TASK_WAIT, .id = 1, .tag = CAPE_TAG_OF_TASKS);
	assert_answer(desk, 0, 1);
	assert_entry(desk, 0, 0, 1, "by first");
	ASK(desk, 1, NULL, TASK_TAKE, .id = 1, .tag = CAPE_TAG_OF_TASKS, .task_take.nodes = 2);
	assert_answer(desk, 1, CAPE_TASK_LATER);
	ASK(desk, 0, NULL, TASK_CLOSE, .id = 1);
	assert_true(is_called_for_tasks(desk, 0) && is_called_for_tasks(desk, 1));
	ASK(desk, 0, NULL, TASK_TAKE, .id = 1, .tag = CAPE_TAG_OF_TASKS, .task_take.nodes = 2);
	assert_answer(desk, 0, CAPE_TASK_NONE);
	WRONG(desk, 0, NULL, TASK_TAKE, .id = 1, .tag = CAPE_TAG_OF_TASKS, .task_take.nodes = 2);
	ASK(desk, 1, NULL, TASK_TAKE, .id = 1, .tag = CAPE_TAG_OF_TASKS, .task_take.nodes = 2);
	assert_answer(desk, 1, CAPE_TASK_NONE);
	assert_null(shelf_any(&desk->book.groups));
	close_desk(desk);
}

static void tasks_refuse(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	WRONG(desk, 0, "abc", TASK_POST, .id = 1, .task_post.published = 4);
	WRONG(desk, 0, NULL, TASK_DONE, .id = 1);
	ASK(desk, 0, "a", TASK_POST, .id = 1);
	ASK(desk, 1, NULL, TASK_TAKE, .id = 1, .task_take.nodes = 1);
	WRONG(desk, 1, NULL, TASK_TAKE, .id = 1, .task_take.nodes = 1);
	WRONG(desk, 1, NULL, TASK_WAIT, .id = 1);
	WRONG(desk, 1, NULL, TASK_DONE, .id = 2);
	WRONG(desk, 1, NULL, TASK_DONE, .id = 1, .task_done.number = 1);
	WRONG(desk, 2, NULL, TASK_DONE, .id = 1);
	WRONG(desk, 2, NULL, TASK_TAKE, .id = 1, .tag = 7, .task_take.nodes = 1);
	WRONG(desk, 2, NULL, TASK_WAIT, .id = 1, .tag = 7);
	WRONG(desk, 2, NULL, TASK_TAKE, .id = 1, .task_take.nodes = 2);
	WRONG(desk, 2, NULL, TASK_TAKE, .id = 3, .task_take.nodes = NODES + 1);
	ASK(desk, 1, NULL, TASK_DONE, .id = 1);
	ASK(desk, 0, NULL, TASK_CLOSE, .id = 1);
	WRONG(desk, 0, "a", TASK_POST, .id = 1);
	close_desk(desk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_cover_a_loop),
		cmocka_unit_test(guided_chunks_shrink),
		cmocka_unit_test(nodes_meet_between_chunks),
		cmocka_unit_test(a_meeting_is_called_off),
		cmocka_unit_test(a_node_meets_once),
		cmocka_unit_test(nodes_must_agree),
		cmocka_unit_test(the_first_runs_a_single),
		cmocka_unit_test(ordered_keeps_order),
		cmocka_unit_test(ordered_calls),
		cmocka_unit_test(ordered_refuses),
		cmocka_unit_test(ordered_in_any_order),
		cmocka_unit_test(tasks_go_round),
		cmocka_unit_test(tasks_so_far),
		cmocka_unit_test(threads_take_tasks),
		cmocka_unit_test(tasks_refuse),
	};

	random_start(&dice);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

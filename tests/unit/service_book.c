// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_book.c - node 0's book: who gets a lock when, with what of the log; what is refused;
 * and random requests against the rules that must hold whatever the order.
 */
#include "service_desk.h"

static void locks_are_fair(void **state)
{
	struct desk *desk = open_desk();
	static const uint32_t order[] = {3, 1, 4, 2};

	(void)state;
	ASK(desk, 0, NULL, ACQUIRE, .id = 7);
	assert_answer(desk, 0, 1);
	assert_int_equal(cape_book_holder(desk->book.held, 7), 0);
	for (size_t i = 0; i < 4; i++) {
		ASK(desk, order[i], NULL, ACQUIRE, .id = 7);
		assert_waits(desk, order[i]);
	}
	for (size_t i = 0; i < 4; i++) {
		ASK(desk, i ? order[i - 1] : 0, NULL, RELEASE, .id = 7);
		for (size_t k = i + 1; k < 4; k++)
			assert_waits(desk, order[k]);
		assert_answer(desk, order[i], 1);
		assert_int_equal(cape_book_holder(desk->book.held, 7), order[i]);
	}
	ASK(desk, 2, NULL, RELEASE, .id = 7);
	assert_int_equal(cape_book_holder(desk->book.held, 7), -1);
	for (uint32_t i = 0; i < CAPE_BOOK_LISTS; i++)
		assert_int_equal(desk->book.held->locks[i], 0);
	close_desk(desk);
}

static void locks_are_separate(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	ASK(desk, 0, NULL, ACQUIRE, .id = 1);
	ASK(desk, 1, NULL, ACQUIRE, .id = 257);
	assert_answer(desk, 1, 1);
	ASK(desk, 2, NULL, ACQUIRE, .id = 257);
	ASK(desk, 0, NULL, RELEASE, .id = 1);
	assert_waits(desk, 2);
	ASK(desk, 1, NULL, RELEASE, .id = 257);
	assert_answer(desk, 2, 1);
	close_desk(desk);
}

static void locks_can_be_tried(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	ASK(desk, 0, NULL, ACQUIRE, .id = 7, .acquire.only_tries = 1);
	assert_answer(desk, 0, 1);
	ASK(desk, 1, NULL, ACQUIRE, .id = 7, .acquire.only_tries = 1);
	assert_answer(desk, 1, 0);
	ASK(desk, 0, NULL, ACQUIRE, .id = 7, .acquire.only_tries = 1);
	assert_answer(desk, 0, 0);
	ASK(desk, 0, "x", RELEASE, .id = 7);
	ASK(desk, 1, NULL, ACQUIRE, .id = 7, .acquire.only_tries = 1);
	assert_answer(desk, 1, 1);
	assert_entry(desk, 1, 0, 0, "x");
	close_desk(desk);
}

static void only_the_holder_releases(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	WRONG(desk, 0, NULL, RELEASE, .id = 7);
	ASK(desk, 0, NULL, ACQUIRE, .id = 7);
	WRONG(desk, 1, NULL, RELEASE, .id = 7);
	ASK(desk, 0, NULL, ACQUIRE, .id = 7);
	assert_waits(desk, 0);
	WRONG(desk, 0, NULL, RELEASE, .id = 7);
	close_desk(desk);
}

static void the_log_has_one_order(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	ASK(desk, 0, "zero", FLUSH, .id = 0);
	ASK(desk, 1, "one", FLUSH, .id = 0);
	assert_entry(desk, 1, 0, 0, "zero");
	assert_int_equal(desk->node[1].reply.entries, 1);
	ASK(desk, 2, "two", FLUSH, .id = 0);
	assert_entry(desk, 2, 0, 0, "zero");
	assert_entry(desk, 2, 1, 1, "one");
	ASK(desk, 1, "more", FLUSH, .id = 0);
	assert_int_equal(desk->node[1].reply.entries, 1);
	assert_entry(desk, 1, 0, 2, "two");
	/* Where its own stand is what is missing among the positions. */
	ASK(desk, 0, NULL, FLUSH, .id = 0);
	assert_int_equal(desk->node[0].reply.entries, 3);
	for (uint64_t i = 0; i < 3; i++)
		assert_int_equal(desk->node[0].entry[i].position, 1 + i);
	assert_int_equal(desk->node[0].reply.seen, 4);
	ASK(desk, 0, NULL, FLUSH, .id = 0);
	assert_int_equal(desk->node[0].reply.entries, 0);
	close_desk(desk);
}

static void the_log_forgets(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	for (int i = 0; i < 200; i++)
		ASK(desk, 0, "something", FLUSH, .id = 0);
	for (uint32_t node = 1; node < NODES; node++) {
		assert_int_equal(desk->book.log.first, 0);
		ASK(desk, node, NULL, CATCH_UP, .catch_up.entries = 200);
		assert_int_equal(desk->node[node].reply.entries, 200);
	}
	for (uint32_t node = 1; node < NODES; node++)
		ASK(desk, node, NULL, FLUSH, .id = 0);
	assert_int_equal(desk->book.log.first, 200);
	assert_int_equal(desk->book.log.bytes, 0);
	close_desk(desk);
}

static void the_log_has_a_limit(void **state)
{
	struct desk *desk = open_desk();
	char *text = malloc(LIMIT / 4);

	(void)state;
	assert_non_null(text);
	memset(text, 'x', LIMIT / 4);
	text[LIMIT / 4 - 1] = '\0';
	for (int i = 0; i < 3; i++)
		ASK(desk, 1, text, FLUSH, .id = 0);
	WRONG(desk, 1, text, RELEASE, .id = 0);
	free(text);
	close_desk(desk);
}

static void a_flush_waits_for_news(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	ASK(desk, 0, NULL, FLUSH, .flush.microseconds = 5);
	assert_waits(desk, 0);
	assert_int_equal(book_look_at_clock(&desk->book, 1000), 6000);
	ASK(desk, 1, NULL, FLUSH, .flush.microseconds = UINT64_MAX);
	assert_int_equal(book_look_at_clock(&desk->book, 5999), 6000);
	assert_waits(desk, 0);
	assert_int_equal(book_look_at_clock(&desk->book, 6000), 1000 + 3600000000000);
	assert_answer(desk, 0, 0);
	assert_waits(desk, 1);
	/* Its own are no news. */
	ASK(desk, 0, "news", FLUSH, .flush.microseconds = 5);
	assert_waits(desk, 0);
	assert_answer(desk, 1, 0);
	assert_entry(desk, 1, 0, 0, "news");
	ASK(desk, 2, "two", ORDERED_DONE, .id = 1, .ordered_done = {.loop_end = 1, .end = 1});
	assert_answer(desk, 0, 0);
	assert_entry(desk, 0, 0, 2, "two");
	assert_int_equal(book_look_at_clock(&desk->book, 0), UINT64_MAX);
	/* What is there needs no waiting for. */
	ASK(desk, 3, NULL, FLUSH, .flush.microseconds = 5);
	assert_answer(desk, 3, 0);
	assert_int_equal(desk->node[3].reply.entries, 2);
	close_desk(desk);
}

static void catching_up_waits(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	ASK(desk, 1, NULL, CATCH_UP, .catch_up.entries = 0);
	assert_answer(desk, 1, 0);
	ASK(desk, 1, NULL, CATCH_UP, .catch_up.entries = 2);
	ASK(desk, 0, "a", FLUSH, .flush.microseconds = 0);
	assert_waits(desk, 1);
	ASK(desk, 2, "b", ORDERED_DONE, .id = 1);
	assert_answer(desk, 1, 0);
	assert_int_equal(desk->node[1].reply.entries, 2);
	assert_entry(desk, 1, 1, 2, "b");
	/* Not what came behind. */
	ASK(desk, 0, "c", FLUSH, .flush.microseconds = 0);
	ASK(desk, 3, NULL, CATCH_UP, .catch_up.entries = 2);
	assert_int_equal(desk->node[3].reply.entries, 2);
	assert_int_equal(desk->node[3].reply.seen, 2);
	ASK(desk, 3, NULL, CATCH_UP, .catch_up.entries = 1);
	assert_int_equal(desk->node[3].reply.entries, 0);
	assert_int_equal(desk->node[3].reply.seen, 2);
	ASK(desk, 3, NULL, CATCH_UP, .catch_up.entries = 3);
	assert_int_equal(desk->node[3].reply.entries, 1);
	assert_entry(desk, 3, 0, 0, "c");
	close_desk(desk);
}

/* A thread that has to wait keeps no other of its node from asking. */
static void threads_are_called(void **state)
{
	struct desk *desk = open_desk();

	(void)state;
	ASK(desk, 0, NULL, ACQUIRE, .id = 7, .tag = 1);
	assert_answer(desk, 0, 1);
	ASK(desk, 0, NULL, ACQUIRE, .id = 8, .tag = 2);
	assert_answer(desk, 0, 1);
	ASK(desk, 1, NULL, ACQUIRE, .id = 7, .tag = 3);
	assert_answer(desk, 1, 0);
	ASK(desk, 1, NULL, ACQUIRE, .id = 8, .tag = 4);
	assert_answer(desk, 1, 0);
	ASK(desk, 2, NULL, ACQUIRE, .id = 7);
	assert_waits(desk, 2);
	ASK(desk, 1, NULL, ACQUIRE, .id = 9, .tag = 5);
	assert_answer(desk, 1, 1);
	WRONG(desk, 1, NULL, ACQUIRE, .id = 8, .tag = 3);
	WRONG(desk, 1, NULL, ACQUIRE, .id = 8, .tag = CAPE_CHANNEL_TAGS);
	ASK(desk, 0, "eight", RELEASE, .id = 8);
	assert_true(is_called(desk, 1, 4) && !is_called(desk, 1, 3));
	/* The entries come when it asks for them. */
	ASK(desk, 1, NULL, FLUSH);
	assert_entry(desk, 1, 0, 0, "eight");
	ASK(desk, 0, "seven", RELEASE, .id = 7);
	assert_true(is_called(desk, 1, 3) && !is_called(desk, 1, 4));
	assert_waits(desk, 2);
	ASK(desk, 1, NULL, RELEASE, .id = 7);
	assert_answer(desk, 2, 1);
	assert_int_equal(desk->node[2].reply.entries, 2);
	close_desk(desk);
}

static void nonsense_is_refused(void **state)
{
	struct desk *desk = open_desk();
	struct cape_service_request request = {.kind = CAPE_SERVICE_FLUSH, .node = NODES};

	(void)state;
	assert_non_null(book_ask(&desk->book, &request, NULL, 0));
	request = (struct cape_service_request){.kind = CAPE_SERVICE_FLUSH, .seen = 1};
	assert_non_null(book_ask(&desk->book, &request, NULL, 0));
	request = (struct cape_service_request){.kind = CAPE_SERVICE_KINDS};
	assert_non_null(book_ask(&desk->book, &request, NULL, 0));
	request = (struct cape_service_request){.kind = UINT32_MAX};
	assert_non_null(book_ask(&desk->book, &request, NULL, 0));
	/* Not answered yet. */
	ASK(desk, 1, NULL, CATCH_UP, .catch_up.entries = 1);
	WRONG(desk, 1, NULL, FLUSH, .flush.microseconds = 0);
	close_desk(desk);
}

/* Requests of any kind with values near those that matter: no crash, no lost node. */
static void random_requests(void **state)
{
	unsigned refused = 0, answered = 0;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct desk *desk = open_desk();

		for (int i = 0; i < 60; i++) {
			struct cape_service_request request;
			uint64_t number[1 + CAPE_SERVICE_WORDS];
			uint32_t node = (uint32_t)random_below(&dice, NODES);
			bool waits = desk->book.node[node].waits;
			const char *wrong;

			request.kind = (uint32_t)random_below(&dice, CAPE_SERVICE_KINDS + 1);
			request.tag = (uint32_t)random_below(&dice, 3);
			desk->node[node].called = 0;
			for (int k = 0; k < 1 + CAPE_SERVICE_WORDS; k++)
				number[k] = random_below(&dice, 20) ? random_below(&dice, 4)
								    : random_next(&dice);
			request.id = number[0];
			memcpy(&request.chunk, number + 1, sizeof(request.chunk));
			if (waits)
				continue;
			wrong = try_ask(desk, node, request,
					random_below(&dice, 2) ? "some bytes" : NULL);
			refused += wrong != NULL;
			answered += desk->node[node].is;
			if (wrong)
				assert_false(desk->node[node].is);
			else if (cape_service_is_answered(request.kind))
				assert_int_equal(desk->node[node].is, !desk->book.node[node].waits);
		}
		close_desk(desk);
	}
	assert_true(refused > 1000 && answered > 1000);
}

/* Nodes that lock, publish and look, at random: each gets every entry of the others once. */
static void random_publishing(void **state)
{

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct desk *desk = open_desk();
		uint64_t published[NODES] = {0}, total = 0;

		for (int i = 0; i < 300; i++) {
			uint32_t node = (uint32_t)random_below(&dice, NODES);
			const char *text = random_below(&dice, 3) ? "change" : NULL;

			if (desk->book.node[node].waits)
				continue;
			if (cape_book_holder(desk->book.held, 1) == (int)node)
				ASK(desk, node, text, RELEASE, .id = 1);
			else if (random_below(&dice, 2))
				ASK(desk, node, text, ACQUIRE, .id = 1);
			else
				ASK(desk, node, text, FLUSH,
				    .flush.microseconds = random_below(&dice, 2));
			published[node] += text != NULL;
			total += text != NULL;
			assert_int_equal(desk->book.log.total, total);
		}
		book_look_at_clock(&desk->book, UINT64_MAX);
		while (cape_book_holder(desk->book.held, 1) >= 0)
			ASK(desk, (uint32_t)cape_book_holder(desk->book.held, 1), NULL, RELEASE,
			    .id = 1);
		for (uint32_t node = 0; node < NODES; node++) {
			ASK(desk, node, NULL, CATCH_UP, .catch_up.entries = total);
			assert_int_equal(desk->node[node].all_entries, total - published[node]);
		}
		close_desk(desk);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_are_fair),	 cmocka_unit_test(locks_are_separate),
		cmocka_unit_test(locks_can_be_tried),	 cmocka_unit_test(only_the_holder_releases),
		cmocka_unit_test(the_log_has_one_order), cmocka_unit_test(the_log_forgets),
		cmocka_unit_test(the_log_has_a_limit),	 cmocka_unit_test(a_flush_waits_for_news),
		cmocka_unit_test(catching_up_waits),	 cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(threads_are_called),	 cmocka_unit_test(random_requests),
		cmocka_unit_test(random_publishing),
	};

	random_start(&dice);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_desk.h - a book with five nodes, and what each was answered, for tests of the book.
 */
#ifndef CAPE_TEST_SERVICE_DESK_H
#define CAPE_TEST_SERVICE_DESK_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "random.h"

#include "channel/book.c"
#include "service/service_log.c"
#include "service/service_shelf.c"
#include "service/service_book.c"
#include "service/service_loop.c"
#include "service/service_task.c"

#define NODES	  5
#define LIMIT	  (1u << 20)
#define BYTES	  64 /* of a payload that is remembered */
#define REMEMBERS 64 /* entries of one answer */

struct seen_entry {
	uint32_t node;
	uint64_t position;
	uint64_t size;
	unsigned char bytes[BYTES];
};

/* The last answer to a node, and what its program would keep. */
struct answered {
	bool is;
	struct cape_service_reply reply;
	struct seen_entry entry[REMEMBERS];
	uint64_t entries;
	uint64_t seen;
	uint64_t all_entries; /* since the test began */
	uint64_t called;      /* its threads, by the bits of their tags */
	bool called_for_tasks;
};

struct desk {
	struct book book;
	struct answered node[NODES];
};

static struct random dice;

static void remember(void *context, uint32_t node, const struct cape_service_reply *reply,
		     const struct cape_service_entry *first)
{
	struct desk *desk = context;
	struct answered *answered = &desk->node[node];
	uint64_t position = desk->book.log.seen[node], size = 0;

	assert_false(answered->is);
	answered->is = true;
	answered->reply = *reply;
	answered->entries = reply->entries;
	for (uint64_t i = 0; i < reply->entries; i++) {
		const struct cape_service_entry *entry = first;
		struct seen_entry *to = &answered->entry[i < REMEMBERS ? i : REMEMBERS - 1];

		if (!entry)
			entry = log_next(&desk->book.log, node, &position);
		assert_non_null(entry);
		first = NULL;
		*to = (struct seen_entry){entry->node, entry->position, entry->size, {0}};
		memcpy(to->bytes, entry + 1, entry->size < BYTES ? entry->size : BYTES);
		if (entry->position != LOG_NOWHERE) {
			assert_int_not_equal(entry->node, node);
			assert_in_range(entry->position, answered->seen, reply->seen - 1);
			answered->all_entries++;
		}
		size += log_block_size(entry);
	}
	assert_int_equal(size, reply->size);
	assert_true(reply->seen >= answered->seen);
	answered->seen = reply->seen;
}

static void call_thread(void *context, uint32_t node, uint32_t tag)
{
	struct desk *desk = context;

	if (tag == CAPE_TAG_OF_TASKS)
		desk->node[node].called_for_tasks = true;
	if (tag < 64) {
		assert_false(desk->node[node].called >> tag & 1);
		desk->node[node].called |= 1ull << tag;
	}
}

/* The thread was called since that was asked last. */
static bool is_called(struct desk *desk, uint32_t node, uint32_t tag)
{
	bool is = desk->node[node].called >> tag & 1;

	desk->node[node].called &= ~(1ull << tag);
	return is;
}

static struct desk *open_desk(void)
{
	struct desk *desk = calloc(1, sizeof(*desk));

	assert_non_null(desk);
	assert_int_equal(book_start(&desk->book, NODES, LIMIT, remember, call_thread, desk), 0);
	return desk;
}

static void close_desk(struct desk *desk)
{
	book_stop(&desk->book);
	free(desk);
}

/* What is wrong, or NULL.  The payload is TEXT without its end. */
static const char *try_ask(struct desk *desk, uint32_t node, struct cape_service_request request,
			   const char *text)
{
	request.node = node;
	request.seen = desk->node[node].seen;
	request.size = text ? strlen(text) : 0;
	desk->node[node].is = false;
	return book_ask(&desk->book, &request, (const unsigned char *)text, 1000);
}

static void ask(struct desk *desk, uint32_t node, struct cape_service_request request,
		const char *text)
{
	const char *wrong = try_ask(desk, node, request, text);

	if (wrong)
		print_error("node %u: %s\n", node, wrong);
	assert_null(wrong);
	if (!cape_service_is_answered(request.kind))
		assert_false(desk->node[node].is);
}

#define ASK(desk, node, text, ...)                                                                 \
	ask(desk, node, (struct cape_service_request){.kind = CAPE_SERVICE_##__VA_ARGS__}, text)
#define WRONG(desk, node, text, ...)                                                               \
	assert_non_null(try_ask(desk, node,                                                        \
				(struct cape_service_request){.kind = CAPE_SERVICE_##__VA_ARGS__}, \
				text))

/* The node was answered with that result. */
static void assert_answer(struct desk *desk, uint32_t node, uint64_t result)
{
	assert_true(desk->node[node].is);
	assert_int_equal(desk->node[node].reply.result, result);
}

static void assert_waits(struct desk *desk, uint32_t node)
{
	assert_false(desk->node[node].is);
	assert_true(desk->book.node[node].waits);
}

static void assert_entry(struct desk *desk, uint32_t node, uint64_t which, uint32_t whose,
			 const char *text)
{
	const struct seen_entry *entry = &desk->node[node].entry[which];

	assert_true(which < desk->node[node].entries);
	assert_int_equal(entry->node, whose);
	assert_int_equal(entry->size, strlen(text));
	assert_memory_equal(entry->bytes, text, strlen(text));
}

#endif

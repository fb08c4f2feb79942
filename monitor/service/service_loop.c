// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_loop.c - the book's work-sharing part: chunks of dynamic loops, singles, ordered.
 */
#include <errno.h>
#include <stdlib.h>
#include "service_book.h"

struct single {
	struct shelf_item item;
	struct book_roll asked;
};

/* Iterations that are done, out of order. */
struct stretch {
	struct stretch *next;
	uint64_t first, end;
};

struct ordered {
	struct shelf_item item;
	uint64_t first, end; /* of the loop */
	uint64_t done;	     /* all before */
	struct stretch *ahead;
};

const char *book_chunk(struct book *book, const struct cape_service_request *request)
{
	struct cape_service_reply reply;
	int error = request->chunk.nodes > book->nodes
			    ? -ERANGE
			    : cape_book_chunk(book->held, request, &reply);

	if (error)
		return cape_book_wrong(error);
	book_reply(book, request->node, reply, false, NULL);
	return NULL;
}

const char *book_single(struct book *book, const struct cape_service_request *request)
{
	struct single *single =
		shelf_get(&book->singles, request->id,
			  offsetof(struct single, asked) + book_roll_size(book->nodes));
	const char *wrong;
	bool first;

	if (!single)
		return "out of memory";
	wrong = book_roll_begin(book, &single->asked, request->single.nodes, request->node);
	if (wrong)
		return wrong;
	first = single->asked.count == 0;
	if (book_roll_count(&single->asked, request->node))
		shelf_remove(&book->singles, single);
	book_reply(book, request->node, (struct cape_service_reply){.result = first}, false, NULL);
	return NULL;
}

static uint64_t done_of(const struct book *book, const struct cape_service_request *wait)
{
	const struct ordered *ordered = shelf_find(&book->ordered, wait->id);

	return ordered ? ordered->done : wait->ordered_wait.loop_first;
}

const char *book_ordered_wait(struct book *book, const struct cape_service_request *request)
{
	struct book_turn **at = &book->turns;

	if (request->ordered_wait.iteration <= done_of(book, request)) {
		book_reply(book, request->node, (struct cape_service_reply){.result = 1}, true,
			   NULL);
		return NULL;
	}
	for (; *at; at = &(*at)->next)
		if ((*at)->wait.node == request->node && (*at)->wait.tag == request->tag)
			return "a thread waits twice";
	*at = malloc(sizeof(**at));
	if (!*at)
		return "out of memory";
	**at = (struct book_turn){NULL, *request};
	book_wait(book, request, 0);
	return NULL;
}

static void tell_ordered(struct book *book, uint64_t id, uint64_t done)
{
	struct book_turn **at = &book->turns, *turn;

	while ((turn = *at)) {
		if (turn->wait.id != id || turn->wait.ordered_wait.iteration > done) {
			at = &turn->next;
			continue;
		}
		*at = turn->next;
		book_give(book, turn->wait.node, turn->wait.tag);
		free(turn);
	}
}

/* Puts FIRST .. END - 1 in its place; stretches neither overlap nor touch. */
static const char *add_stretch(struct ordered *ordered, uint64_t first, uint64_t end)
{
	struct stretch **at = &ordered->ahead, *after, *stretch;

	while (*at && (*at)->end < first)
		at = &(*at)->next;
	after = *at;
	if (after && after->end == first) {
		after->end = end;
		stretch = after;
		after = stretch->next;
	} else {
		stretch = malloc(sizeof(*stretch));
		if (!stretch)
			return "out of memory";
		*stretch = (struct stretch){.next = after, .first = first, .end = end};
		*at = stretch;
	}
	if (!after || after->first > end)
		return NULL;
	if (after->first < end)
		return "an iteration of an ordered loop is done twice";
	stretch->end = after->end;
	stretch->next = after->next;
	free(after);
	return NULL;
}

static void forget_ordered(struct book *book, struct ordered *ordered)
{
	while (ordered->ahead) {
		struct stretch *stretch = ordered->ahead;

		ordered->ahead = stretch->next;
		free(stretch);
	}
	shelf_remove(&book->ordered, ordered);
}

const char *book_ordered_done(struct book *book, const struct cape_service_request *request)
{
	struct ordered *ordered;
	const char *wrong;
	uint64_t done;

	if (request->ordered_done.loop_first > request->ordered_done.first ||
	    request->ordered_done.first > request->ordered_done.end ||
	    request->ordered_done.end > request->ordered_done.loop_end)
		return "iterations are done that an ordered loop does not have";
	if (request->ordered_done.first == request->ordered_done.end)
		return NULL;
	ordered = shelf_get(&book->ordered, request->id, sizeof(*ordered));
	if (!ordered)
		return "out of memory";
	if (!ordered->end) {
		ordered->first = ordered->done = request->ordered_done.loop_first;
		ordered->end = request->ordered_done.loop_end;
	}
	if (ordered->first != request->ordered_done.loop_first ||
	    ordered->end != request->ordered_done.loop_end)
		return "nodes disagree about an ordered loop's iterations";
	if (request->ordered_done.first < ordered->done)
		return "an iteration of an ordered loop is done twice";
	wrong = add_stretch(ordered, request->ordered_done.first, request->ordered_done.end);
	if (wrong)
		return wrong;
	if (ordered->ahead->first == ordered->done) {
		struct stretch *stretch = ordered->ahead;

		ordered->done = stretch->end;
		ordered->ahead = stretch->next;
		free(stretch);
	}
	done = ordered->done;
	if (done == ordered->end)
		forget_ordered(book, ordered);
	tell_ordered(book, request->id, done);
	return NULL;
}

void book_stop_loops(struct book *book)
{
	void *thing;

	while (book->turns) {
		struct book_turn *turn = book->turns;

		book->turns = turn->next;
		free(turn);
	}
	while ((thing = shelf_any(&book->singles)))
		shelf_remove(&book->singles, thing);
	while ((thing = shelf_any(&book->ordered)))
		forget_ordered(book, thing);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_loop.c - the book's work-sharing part: chunks of dynamic loops, singles, ordered.
 */
#include <stdlib.h>
#include "service_book.h"

struct loop {
	struct shelf_item item;
	uint64_t next;			    /* first iteration not handed out */
	struct cape_service_request begins; /* as its first node asked */
	struct cape_meeting meeting;
	struct book_roll told; /* that none is left */
};

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
	struct loop *loop = shelf_get(&book->loops, request->id,
				      offsetof(struct loop, told) + book_roll_size(book->nodes));
	struct cape_service_reply reply;
	const char *wrong;

	if (!loop)
		return "out of memory";
	if (!loop->told.size) {
		loop->begins = *request;
		loop->next = request->chunk.first;
	}
	wrong = book_roll_begin(book, &loop->told, request->chunk.nodes, request->node);
	if (wrong)
		return wrong;
	if (!cape_service_same_loop(request, &loop->begins))
		return "nodes disagree about a loop's iterations or its schedule";
	if (cape_meeting_next_chunk(&loop->meeting, &book->meetings,
				    &book->node[request->node].guest, request, &loop->next,
				    &reply) < 0)
		return "a node takes part twice";
	if (reply.result == CAPE_CHUNK_NONE && book_roll_count(&loop->told, request->node))
		shelf_remove(&book->loops, loop);
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
	if (request->ordered_wait.iteration <= done_of(book, request))
		book_reply(book, request->node, (struct cape_service_reply){.result = 1}, true,
			   NULL);
	else if (cape_service_tries(request->ordered_wait.only_tries))
		book_reply(book, request->node, (struct cape_service_reply){0},
			   request->ordered_wait.only_tries == CAPE_TRY_TAKES, NULL);
	else
		book_wait(book, request, 0);
	return NULL;
}

static void tell_ordered(struct book *book, uint64_t id, uint64_t done)
{
	for (uint32_t i = 0; i < book->nodes; i++) {
		const struct book_node *node = &book->node[i];

		if (node->waits && node->request.kind == CAPE_SERVICE_ORDERED_WAIT &&
		    node->request.id == id && node->request.ordered_wait.iteration <= done)
			book_reply(book, i, (struct cape_service_reply){.result = 1}, true, NULL);
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

	while ((thing = shelf_any(&book->loops)))
		shelf_remove(&book->loops, thing);
	while ((thing = shelf_any(&book->singles)))
		shelf_remove(&book->singles, thing);
	while ((thing = shelf_any(&book->ordered)))
		forget_ordered(book, thing);
}

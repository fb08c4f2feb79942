// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_book.c - takes requests: publishes what they bring, serves locks and the log itself.
 */
#include "service_book.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LONGEST_FLUSH_US (3600ull * 1000000)

/* Sparse, as on a board: most of it is never touched. */
static struct cape_book *make_held(void)
{
	struct cape_book *held = MAP_FAILED;
	int file = memfd_create("cape-book", MFD_CLOEXEC);

	if (file < 0)
		return NULL;
	if (ftruncate(file, sizeof(*held)) == 0)
		held = mmap(NULL, sizeof(*held), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	return held == MAP_FAILED ? NULL : held;
}

int book_start(struct book *book, uint32_t nodes, uint64_t limit, book_answer *answer,
	       book_call *call, void *context)
{
	*book = (struct book){.nodes = nodes, .answer = answer, .call = call, .context = context};
	book->node = calloc(nodes, sizeof(*book->node));
	book->held = make_held();
	if (!book->node || !book->held)
		return -ENOMEM;
	return log_start(&book->log, nodes, limit);
}

void book_stop(struct book *book)
{
	munmap(book->held, sizeof(*book->held));
	book_stop_loops(book);
	book_stop_tasks(book);
	log_stop(&book->log);
	free(book->node);
}

static void reply_up_to(struct book *book, uint32_t node, struct cape_service_reply reply,
			uint64_t end, const struct cape_service_entry *first)
{
	uint64_t seen = book->node[node].request.seen;
	struct log_news fresh = log_news(&book->log, node, end);

	reply.seen = end > seen ? end : seen;
	reply.entries = fresh.entries + (first != NULL);
	reply.size = fresh.size + (first ? log_block_size(first) : 0);
	book->node[node].waits = false;
	book->changes++;
	book->answer(book->context, node, &reply, first);
}

void book_reply(struct book *book, uint32_t node, struct cape_service_reply reply, bool news,
		const struct cape_service_entry *first)
{
	reply_up_to(book, node, reply, news ? book->log.total : 0, first);
}

void book_wait(struct book *book, const struct cape_service_request *request, uint64_t until)
{
	struct book_node *node = &book->node[request->node];

	if (request->tag) {
		book_reply(book, request->node, (struct cape_service_reply){0}, false, NULL);
		return;
	}
	node->waits = true;
	node->ticket = book->tickets++;
	node->until = until;
}

void book_give(struct book *book, uint32_t node, uint32_t tag)
{
	book->changes++;
	if (tag)
		book->call(book->context, node, tag);
	else
		book_reply(book, node, (struct cape_service_reply){.result = 1}, true, NULL);
}

int book_first_waiting(const struct book *book, uint32_t kind, uint64_t id)
{
	int first = -1;

	for (uint32_t i = 0; i < book->nodes; i++) {
		const struct book_node *node = &book->node[i];

		if (node->waits && node->request.kind == kind && node->request.id == id &&
		    (first < 0 || node->ticket < book->node[first].ticket))
			first = (int)i;
	}
	return first;
}

size_t book_roll_size(uint32_t nodes)
{
	return sizeof(struct book_roll) + (nodes + 63ul) / 64 * sizeof(uint64_t);
}

const char *book_roll_begin(const struct book *book, struct book_roll *roll, uint64_t size,
			    uint32_t node)
{
	if (!roll->size && size && size <= book->nodes)
		roll->size = (uint32_t)size;
	if (size != roll->size || !size)
		return "nodes disagree about how many take part";
	if (roll->had[node / 64] >> node % 64 & 1)
		return "a node takes part twice";
	return NULL;
}

bool book_roll_count(struct book_roll *roll, uint32_t node)
{
	roll->had[node / 64] |= 1ull << node % 64;
	return ++roll->count == roll->size;
}

static const char *acquire(struct book *book, const struct cape_service_request *request)
{
	int result = cape_book_acquire(book->held, request);

	if (result < 0)
		return cape_book_wrong(result);
	if (result == CAPE_BOOK_WAITS)
		book_wait(book, request, 0);
	else
		book_reply(book, request->node,
			   (struct cape_service_reply){.result = result == CAPE_BOOK_GOT}, true,
			   NULL);
	return NULL;
}

static const char *release(struct book *book, const struct cape_service_request *request)
{
	int next = cape_book_release(book->held, request->node, request->id);

	if (next < 0)
		return cape_book_wrong(next);
	if (next)
		book_give(book, cape_book_node((uint32_t)next), cape_book_tag((uint32_t)next));
	return NULL;
}

static const char *flush(struct book *book, const struct cape_service_request *request,
			 uint64_t now)
{
	uint64_t asked = request->flush.microseconds;
	uint64_t patience = asked < LONGEST_FLUSH_US ? asked : LONGEST_FLUSH_US;

	if (!patience || log_news(&book->log, request->node, UINT64_MAX).entries)
		book_reply(book, request->node, (struct cape_service_reply){0}, true, NULL);
	else
		book_wait(book, request, now + patience * 1000);
	return NULL;
}

static void caught_up(struct book *book, uint32_t node)
{
	reply_up_to(book, node, (struct cape_service_reply){0},
		    book->node[node].request.catch_up.entries, NULL);
}

static const char *catch_up(struct book *book, const struct cape_service_request *request)
{
	if (request->catch_up.entries <= book->log.total)
		caught_up(book, request->node);
	else
		book_wait(book, request, 0);
	return NULL;
}

/* The log has grown: those who wait for that. */
static void tell_news(struct book *book)
{
	for (uint32_t i = 0; i < book->nodes; i++) {
		const struct book_node *node = &book->node[i];

		if (!node->waits)
			continue;
		if (node->request.kind == CAPE_SERVICE_FLUSH)
			book_reply(book, i, (struct cape_service_reply){0}, true, NULL);
		else if (node->request.kind == CAPE_SERVICE_CATCH_UP &&
			 node->request.catch_up.entries <= book->log.total)
			caught_up(book, i);
	}
}

static const char *publish(struct book *book, uint32_t node, const unsigned char *bytes,
			   uint64_t size)
{
	int error = size ? log_append(&book->log, node, bytes, size) : 0;

	if (error == -ENOSPC)
		return "more was published between two sync points than node 0 has memory for "
		       "(some node has not reached a lock, a flush or a barrier for a long time)";
	if (error)
		return "out of memory";
	if (size)
		tell_news(book);
	return NULL;
}

static const char *serve(struct book *book, const struct cape_service_request *request,
			 const unsigned char *task, uint64_t task_size, uint64_t now)
{
	switch (request->kind) {
	case CAPE_SERVICE_ACQUIRE:
		return acquire(book, request);
	case CAPE_SERVICE_RELEASE:
		return release(book, request);
	case CAPE_SERVICE_FLUSH:
		return flush(book, request, now);
	case CAPE_SERVICE_CATCH_UP:
		return catch_up(book, request);
	case CAPE_SERVICE_CHUNK:
		return book_chunk(book, request);
	case CAPE_SERVICE_SINGLE:
		return book_single(book, request);
	case CAPE_SERVICE_ORDERED_WAIT:
		return book_ordered_wait(book, request);
	case CAPE_SERVICE_ORDERED_DONE:
		return book_ordered_done(book, request);
	case CAPE_SERVICE_TASK_POST:
		return book_task_post(book, request, task, task_size);
	case CAPE_SERVICE_TASK_TAKE:
		return book_task_take(book, request);
	case CAPE_SERVICE_TASK_DONE:
		return book_task_done(book, request);
	case CAPE_SERVICE_TASK_WAIT:
		return book_task_wait(book, request);
	case CAPE_SERVICE_TASK_CLOSE:
		return book_task_close(book, request);
	default:
		return "the program makes a request that its monitor does not know";
	}
}

const char *book_ask(struct book *book, const struct cape_service_request *request,
		     const unsigned char *payload, uint64_t now)
{
	uint64_t published = request->size;
	const char *wrong;

	if (request->node >= book->nodes || book->node[request->node].waits)
		return "a node asks before it was answered";
	if (request->tag >= CAPE_CHANNEL_TAGS)
		return "a node has more threads than can wait";
	if (request->kind == CAPE_SERVICE_TASK_POST) {
		if (request->task_post.published > request->size)
			return "a task is larger than what came with it";
		published = request->task_post.published;
	}
	if (!log_seen(&book->log, request->node, request->seen))
		return "a node has seen what was not published";
	book->changes++;
	book->node[request->node].request = *request;
	wrong = publish(book, request->node, payload, published);
	if (!wrong)
		wrong = serve(book, request, payload + published, request->size - published, now);
	return wrong;
}

uint64_t book_look_at_clock(struct book *book, uint64_t now)
{
	uint64_t next = UINT64_MAX;

	for (uint32_t i = 0; i < book->nodes; i++) {
		const struct book_node *node = &book->node[i];

		if (!node->waits || node->request.kind != CAPE_SERVICE_FLUSH)
			continue;
		if (node->until <= now)
			book_reply(book, i, (struct cape_service_reply){0}, true, NULL);
		else if (node->until < next)
			next = node->until;
	}
	return next;
}

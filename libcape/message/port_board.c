// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * port_board.c - the port over the board: a program does itself what it finds there, and asks the
 * monitors for the rest.
 */
#include "message/port.h"

#include <errno.h>
#include <string.h>
#include "channel/board_book.h"
#include "channel/near.h"
#include "channel/watch.h"
#include "message/request.h"

static const struct cape_port *const monitors = &cape_port_of_monitors;

/* Adds what others have published to what READER has come to.  0, -ENOMEM, or another error. */
static int look_at_untaken(struct cape_runtime *runtime, struct cape_board_reader *reader)
{
	struct cape_touched *untaken = &runtime->service->untaken;
	const struct cape_service_entry *entry;
	int got, error = 0;

	while (!error && (got = cape_board_next(runtime->channel, reader, UINT64_MAX, &entry)) > 0)
		if (entry->node != runtime->node)
			error = cape_touched_add(untaken, entry + 1, entry->size);
	return error ? error : got;
}

/* 0 or -ENOSPC. */
static int publish_after_all(struct cape_runtime *runtime, const unsigned char *payload,
			     uint64_t payload_size)
{
	struct cape_touched *untaken = &runtime->service->untaken;
	struct cape_board_reader reader = cape_board_reader(runtime->channel);
	int error;

	untaken->memory = &runtime->blocks.memory;
	do {
		const void *bytes = payload;
		uint64_t size = payload_size;

		error = look_at_untaken(runtime, &reader);
		if (!error)
			error = cape_touched_without(untaken, &bytes, &size);
		if (error == -ENOMEM)
			cape_fail(runtime, 0, "out of memory for what other nodes have released");
		if (error)
			cape_fail(runtime, 0, "the log is malformed");
		error = cape_board_publish(runtime->channel, bytes, size, reader.entries);
	} while (error == -EAGAIN);
	cape_touched_clear(untaken);
	return error;
}

/* What the payload holds for the log goes there; the rest stays. */
static void publish(struct cape_runtime *runtime, struct cape_service_request *request)
{
	unsigned char *payload = cape_request_payload(runtime);
	uint64_t size = cape_request_published(request);

	if (!size)
		return;
	if (publish_after_all(runtime, payload, size) < 0)
		cape_fail(runtime, 0,
			  "node %u: more was published between two sync points than its machine "
			  "has memory for (some node has not reached a lock, a flush or a barrier "
			  "for a long time)",
			  runtime->node);
	runtime->channel->statistics.sent[CAPE_SENT_SERVICE] += size * (runtime->nodes - 1);
	runtime->service->idle = 0;
	request->size -= size;
	if (request->kind == CAPE_SERVICE_TASK_POST)
		request->task_post.published = 0;
	memmove(payload, payload + size, request->size);
}

/* A loop that only looks for its turn would keep others from running. */
static void yield(struct cape_runtime *runtime)
{
	if (runtime->service->idle++ && !runtime->channel->board.spin)
		cape_watch_yield(runtime->channel);
}

/* Whether it has the lock. */
static bool acquire(struct cape_runtime *runtime, struct cape_service_request *request)
{
	int result;

	yield(runtime);
	result = cape_board_acquire(runtime->channel, request);
	if (result < 0)
		cape_request_fail(runtime, cape_book_wrong(result));
	if (result != CAPE_BOOK_WAITS)
		return result == CAPE_BOOK_GOT;
	if (!request->tag)
		cape_board_await_lock(runtime->channel, 0);
	return !request->tag;
}

/* Ends the run at an ERROR of the book. */
static void must(struct cape_runtime *runtime, int error)
{
	if (error)
		cape_request_fail(runtime, cape_book_wrong(error));
}

static void flush(struct cape_runtime *runtime, const struct cape_service_request *request)
{
	if (cape_board_has_news(runtime->channel))
		return;
	if (request->flush.microseconds)
		cape_board_await_news(runtime->channel, request->flush.microseconds);
	else
		yield(runtime);
}

/* What others see over the board has not been printed before what this node printed. */
static void show_output(struct cape_runtime *runtime, const struct cape_service_request *request)
{
	bool lets_others_go_on = cape_request_published(request) ||
				 request->kind == CAPE_SERVICE_RELEASE ||
				 request->kind == CAPE_SERVICE_FLUSH;

	if (lets_others_go_on && cape_board_has_printed(runtime->channel))
		monitors->call(runtime, &(struct cape_service_request){.kind = CAPE_SERVICE_FLUSH});
}

/* Up to where REPLY, to REQUEST, brings entries: those before. */
static uint64_t end_of_entries(const struct cape_service_request *request,
			       const struct cape_service_reply *reply)
{
	switch (request->kind) {
	case CAPE_SERVICE_ACQUIRE:
	case CAPE_SERVICE_ORDERED_WAIT:
		/* Whoever is called later asks for them then. */
		return reply->result || !request->tag ? UINT64_MAX : 0;
	case CAPE_SERVICE_FLUSH:
	case CAPE_SERVICE_TASK_TAKE:
	case CAPE_SERVICE_TASK_WAIT:
		return UINT64_MAX;
	case CAPE_SERVICE_CATCH_UP:
		return request->catch_up.entries;
	default:
		return 0;
	}
}

static void begin(struct cape_runtime *runtime, struct cape_service_request *request)
{
	runtime->channel->board.asked++;
	show_output(runtime, request);
	publish(runtime, request);
	runtime->service->reply = (struct cape_service_reply){0};
	runtime->service->entries = 0;
}

static struct cape_service_reply *serve(struct cape_runtime *runtime,
					struct cape_service_request *request)
{
	struct cape_service_reply *reply = &runtime->service->reply;

	switch (request->kind) {
	case CAPE_SERVICE_ACQUIRE:
		reply->result = acquire(runtime, request);
		return reply;
	case CAPE_SERVICE_CHUNK:
		must(runtime, cape_board_chunk(runtime->channel, request, reply));
		return reply;
	case CAPE_SERVICE_FLUSH:
		flush(runtime, request);
		return reply;
	case CAPE_SERVICE_CATCH_UP:
		/* Who counted them had published them. */
		return reply;
	default:
		return monitors->call(runtime, request);
	}
}

static struct cape_service_reply *call(struct cape_runtime *runtime,
				       struct cape_service_request *request)
{
	struct cape_service *service = runtime->service;
	struct cape_service_reply *reply;
	uint64_t published;

	begin(runtime, request);
	reply = serve(runtime, request);
	/*
	 * What is published from now on may be of a page that its node fetched after the look at
	 * what was served: here it has no twin yet.
	 */
	published = cape_board_entries(runtime->channel);
	service->end = end_of_entries(request, reply);
	if (service->end > published)
		service->end = published;
	service->reader = cape_board_reader(runtime->channel);
	return reply;
}

static struct cape_service_reply *post(struct cape_runtime *runtime,
				       struct cape_service_request *request)
{
	begin(runtime, request);
	if (request->kind != CAPE_SERVICE_RELEASE)
		return monitors->post(runtime, request);
	must(runtime, cape_board_release(runtime->channel, request->id));
	return NULL;
}

static const struct cape_service_entry *next(struct cape_runtime *runtime)
{
	struct cape_service *service = runtime->service;
	const struct cape_service_entry *entry = monitors->next(runtime);
	int got = 1;

	if (entry)
		return entry;
	do
		got = cape_board_next(runtime->channel, &service->reader, service->end, &entry);
	while (got > 0 && entry->node == runtime->node);
	if (got < 0)
		cape_fail(runtime, 0, "the log is malformed");
	return got ? entry : NULL;
}

static uint64_t all_taken(struct cape_runtime *runtime)
{
	struct cape_service *service = runtime->service;

	if (!service->end)
		return service->seen;
	cape_board_has_read(runtime->channel, &service->reader);
	return service->reader.entries;
}

static bool await(struct cape_runtime *runtime, const struct cape_service_request *request,
		  uint64_t microseconds)
{
	if (request->kind != CAPE_SERVICE_ACQUIRE)
		return monitors->await(runtime, request, microseconds);
	cape_board_await_lock(runtime->channel, request->tag);
	return true;
}

static void rest(struct cape_runtime *runtime, uint64_t microseconds)
{
	cape_board_await_news(runtime->channel, microseconds);
}

static bool first(struct cape_runtime *runtime, uint64_t number, uint32_t team)
{
	(void)team;
	return cape_board_first(runtime->channel, number);
}

static int copy(struct cape_runtime *runtime, unsigned node, const struct cape_range *range,
		uint32_t count)
{
	return cape_near_copy(runtime->channel, node, range, count);
}

static const unsigned char *get(struct cape_runtime *runtime, uint32_t pages, bool *read)
{
	const unsigned char *got = cape_near_read(runtime->channel, pages);

	if (!got)
		return monitors->get(runtime, pages, read);
	*read = true;
	return got;
}

static void meet(struct cape_runtime *runtime)
{
	if (runtime->channel->pushes || !cape_board_exchange(runtime->channel))
		monitors->meet(runtime);
}

static void push(struct cape_runtime *runtime)
{
	monitors->push(runtime);
}

const struct cape_port cape_port_of_board = {
	.call = call,
	.post = post,
	.next = next,
	.all_taken = all_taken,
	.await = await,
	.rest = rest,
	.first = first,
	.get = get,
	.copy = copy,
	.meet = meet,
	.push = push,
};

void cape_port_open(struct cape_runtime *runtime)
{
	int error = cape_board_open(runtime->channel);

	if (error)
		cape_fail_for_addresses(runtime, "map the memory of all nodes here", error);
	runtime->service->port = &cape_port_of_monitors;
	if (runtime->channel->board.open)
		runtime->service->port = &cape_port_of_board;
	else if (runtime->channel->peers.open)
		runtime->service->port = cape_port_of_peers(runtime);
}

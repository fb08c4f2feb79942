// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * request.c - one request to the monitor's service, and its reply.
 */
#include "message/request.h"

#include <errno.h>
#include <string.h>
#include "base/ordering.h"
#include "channel/board_book.h"
#include "channel/board_log.h"
#include "channel/watch.h"
#include "memory/mapping.h"
#include "profile/profile.h"

CAPE_PART(service, NULL);

unsigned char *cape_request_payload(struct cape_runtime *runtime)
{
	return (unsigned char *)runtime->channel + CAPE_SERVICE_OUT +
	       sizeof(struct cape_service_request);
}

uint64_t cape_request_published(const struct cape_service_request *request)
{
	switch (request->kind) {
	case CAPE_SERVICE_TASK_POST:
		return request->task_post.published;
	case CAPE_SERVICE_FILE:
		return 0;
	default:
		return request->size;
	}
}

static const struct cape_service_reply *ask_monitors(struct cape_runtime *runtime,
						     struct cape_service_request request)
{
	char *channel = (char *)runtime->channel;

	memcpy(channel + CAPE_SERVICE_OUT, &request, sizeof(request));
	cape_channel_request(runtime->channel, CAPE_REQUEST_SERVICE);
	return (const struct cape_service_reply *)(channel + CAPE_SERVICE_IN);
}

/* What the payload holds for the log goes there; the rest stays. */
static void publish(struct cape_runtime *runtime, struct cape_service_request *request)
{
	unsigned char *payload = cape_request_payload(runtime);
	uint64_t size = cape_request_published(request);

	if (!size)
		return;
	if (cape_board_publish(runtime->channel, payload, size) < 0)
		cape_fail(runtime, 0,
			  "node %u: more was published between two sync points than its machine "
			  "has memory for (some node has not come to a lock, a flush or a barrier "
			  "for long)",
			  runtime->node);
	runtime->channel->statistics.sent[CAPE_SENT_SERVICE] += size * (runtime->nodes - 1);
	runtime->service->idle = 0;
	request->size -= size;
	if (request->kind == CAPE_SERVICE_TASK_POST)
		request->task_post.published = 0;
	memmove(payload, payload + size, request->size);
}

static void fail(struct cape_runtime *runtime, const char *what) __attribute__((noreturn));

static void fail(struct cape_runtime *runtime, const char *what)
{
	cape_fail(runtime, 0, "node %u: at or after %s:%d: %s", runtime->node,
		  runtime->channel->state.file, runtime->channel->state.line, what);
}

/* A loop that only looks for its turn would keep others from running. */
static void rest(struct cape_runtime *runtime)
{
	if (runtime->service->idle++ && !runtime->channel->board.spin)
		cape_watch_yield(runtime->channel);
}

/* Whether it has the lock. */
static bool acquire(struct cape_runtime *runtime, struct cape_service_request *request)
{
	int result;

	rest(runtime);
	result = cape_board_acquire(runtime->channel, request);
	if (result < 0)
		fail(runtime, cape_book_wrong(result));
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
		fail(runtime, cape_book_wrong(error));
}

static void flush(struct cape_runtime *runtime, const struct cape_service_request *request)
{
	if (cape_board_has_news(runtime->channel))
		return;
	if (request->flush.microseconds)
		cape_board_await_news(runtime->channel, request->flush.microseconds);
	else
		rest(runtime);
}

/* What others see over the board has not been printed before what this node printed. */
static void show_output(struct cape_runtime *runtime, const struct cape_service_request *request)
{
	bool lets_others_go_on = cape_request_published(request) ||
				 request->kind == CAPE_SERVICE_RELEASE ||
				 request->kind == CAPE_SERVICE_FLUSH;

	if (lets_others_go_on && cape_board_has_printed(runtime->channel))
		ask_monitors(runtime, (struct cape_service_request){.kind = CAPE_SERVICE_FLUSH});
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

/* What is not for the board goes to the monitors. */
static const struct cape_service_reply *ask_board(struct cape_runtime *runtime,
						  struct cape_service_request request)
{
	struct cape_channel *channel = runtime->channel;
	struct cape_service_reply *reply = &runtime->service->reply;

	channel->board.asked++;
	show_output(runtime, &request);
	publish(runtime, &request);
	*reply = (struct cape_service_reply){0};
	switch (request.kind) {
	case CAPE_SERVICE_ACQUIRE:
		reply->result = acquire(runtime, &request);
		return reply;
	case CAPE_SERVICE_RELEASE:
		must(runtime, cape_board_release(channel, request.id));
		return reply;
	case CAPE_SERVICE_CHUNK:
		must(runtime, cape_board_chunk(channel, &request, reply));
		return reply;
	case CAPE_SERVICE_FLUSH:
		flush(runtime, &request);
		return reply;
	case CAPE_SERVICE_CATCH_UP:
		/* Who counted them had published them. */
		return reply;
	default:
		return ask_monitors(runtime, request);
	}
}

static const struct cape_service_reply *ask(struct cape_runtime *runtime,
					    struct cape_service_request request)
{
	return runtime->channel->board.open ? ask_board(runtime, request)
					    : ask_monitors(runtime, request);
}

static void take_from_board(struct cape_runtime *runtime, uint64_t end)
{
	struct cape_service *service = runtime->service;

	service->reply.entries = service->take_from_board(runtime, end);
	if (service->reply.entries)
		service->idle = 0;
}

const struct cape_service_reply *cape_request(struct cape_runtime *runtime,
					      struct cape_service_request request)
{
	enum cape_phase phase = cape_profile_phase(runtime, CAPE_PHASE_WAIT);
	struct cape_service *service = runtime->service;
	const struct cape_service_reply *reply;
	uint64_t started = cape_now();
	int saved_errno = errno;

	runtime->ordering->begin_access(runtime);
	if (service->busy)
		fail(runtime, "a signal handler that has interrupted a request to the monitors "
			      "makes another one, by a lock or a file that nodes share; let it "
			      "set a variable only");
	service->busy = true;
	/* Where there is a board the monitors' own log stays empty. */
	if (!runtime->channel->board.open)
		request.seen = service->seen;
	reply = ask(runtime, request);
	runtime->channel->statistics.exchange_time += cape_now() - started;
	cape_profile_phase(runtime, CAPE_PHASE_MERGE);
	if (reply->entries || reply->seen != request.seen)
		service->take(runtime, reply);
	if (!runtime->channel->board.open)
		service->seen = reply->seen;
	else if (end_of_entries(&request, reply))
		take_from_board(runtime, end_of_entries(&request, reply));
	cape_mapping_close(runtime);
	service->busy = false;
	runtime->ordering->end_access(runtime);
	cape_profile_phase(runtime, phase);
	errno = saved_errno;
	return reply;
}

void cape_request_await(struct cape_runtime *runtime, const struct cape_service_request *request)
{
	int saved_errno = errno;

	if (runtime->channel->board.open && request->kind == CAPE_SERVICE_ACQUIRE)
		cape_board_await_lock(runtime->channel, request->tag);
	else
		cape_channel_await(runtime->channel, request->tag);
	errno = saved_errno;
}

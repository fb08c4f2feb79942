// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * port_monitors.c - the port by the monitors: node 0's keeps the books of the run.
 */
#include "message/port.h"

#include <errno.h>
#include <string.h>
#include "channel/fetch.h"
#include "message/message.h"
#include "message/request.h"
#include "system/libc.h"
#include "system/ranges.h"

static struct cape_service_reply *call(struct cape_runtime *runtime,
				       struct cape_service_request *request)
{
	char *channel = (char *)runtime->channel;
	struct cape_service_reply *reply = (struct cape_service_reply *)(channel + CAPE_SERVICE_IN);

	/* Where there is a board the monitors' own log stays empty. */
	if (cape_port(runtime)->by_monitors)
		request->seen = runtime->service->seen;
	memcpy(channel + CAPE_SERVICE_OUT, request, sizeof(*request));
	cape_channel_request(runtime->channel, CAPE_REQUEST_SERVICE);
	runtime->service->at = (const unsigned char *)(reply + 1);
	runtime->service->left = reply->size;
	runtime->service->entries = reply->entries;
	return reply;
}

static const struct cape_service_entry *next(struct cape_runtime *runtime)
{
	struct cape_service *service = runtime->service;
	const struct cape_service_entry *entry = (const struct cape_service_entry *)service->at;
	uint64_t room = service->left - sizeof(*entry), size;

	if (!service->entries)
		return NULL;
	if (service->left < sizeof(*entry) || entry->size > room ||
	    cape_message_padded(entry->size) > room)
		cape_fail(runtime, 0, "the log is malformed");
	size = sizeof(*entry) + cape_message_padded(entry->size);
	service->at += size;
	service->left -= size;
	service->entries--;
	return entry;
}

static uint64_t all_taken(struct cape_runtime *runtime)
{
	const char *channel = (const char *)runtime->channel;

	return ((const struct cape_service_reply *)(channel + CAPE_SERVICE_IN))->seen;
}

static bool await(struct cape_runtime *runtime, const struct cape_service_request *request,
		  uint64_t microseconds)
{
	return cape_channel_await(runtime->channel, request->tag, microseconds);
}

static void rest(struct cape_runtime *runtime, uint64_t microseconds)
{
	struct timespec moment = {0, (long)microseconds * 1000};

	(void)runtime;
	syscall(SYS_nanosleep, &moment, NULL);
}

static bool first(struct cape_runtime *runtime, uint64_t number, uint32_t team)
{
	return cape_request(runtime, (struct cape_service_request){.kind = CAPE_SERVICE_SINGLE,
								   .id = number,
								   .single.nodes = team})
		       ->result != 0;
}

static const unsigned char *get(struct cape_runtime *runtime, uint32_t pages, bool *read)
{
	(void)pages;
	*read = false;
	cape_channel_request(runtime->channel, CAPE_REQUEST_FETCH);
	return cape_channel_fetched(runtime->channel);
}

/* What of a piece, which begins at START, one fetch of whole pages can bring. */
static uint64_t copy_some(struct cape_channel *channel, uint64_t start, uint64_t end)
{
	struct cape_range *stretch = cape_channel_wanted(channel);
	uint64_t pages = start & -CAPE_FETCH_PAGE;
	uint64_t most = pages + CAPE_FETCH_PAGES * CAPE_FETCH_PAGE;

	end = cape_least(end, most);
	*stretch = (struct cape_range){pages, (end + CAPE_FETCH_PAGE - 1) & -CAPE_FETCH_PAGE};
	channel->fetch.stretches = 1;
	cape_channel_request(channel, CAPE_REQUEST_FETCH);
	memcpy((void *)(uintptr_t)start, cape_channel_fetched(channel) + (start - pages),
	       end - start);
	return end;
}

static int copy(struct cape_runtime *runtime, unsigned node, const struct cape_range *range,
		uint32_t count)
{
	struct cape_channel *channel = runtime->channel;

	channel->fetch.owner = node;
	channel->fetch.copies = 1;
	for (uint32_t i = 0; i < count; i++)
		for (uint64_t at = range[i].start; at < range[i].end;)
			at = copy_some(channel, at, range[i].end);
	channel->fetch.copies = 0;
	return 0;
}

static void meet(struct cape_runtime *runtime)
{
	cape_channel_request(runtime->channel, CAPE_REQUEST_EXCHANGE);
}

static void push(struct cape_runtime *runtime)
{
	cape_channel_request(runtime->channel, CAPE_REQUEST_PUSH);
}

const struct cape_port cape_port_of_monitors = {
	.by_monitors = true,
	.call = call,
	.post = call,
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

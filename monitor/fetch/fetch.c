// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fetch.c - requests for pages, from this node's program and from other monitors, and the answers.
 *
 * Nothing here waits: an answer comes as an event, whatever this monitor does meanwhile, so nodes
 * that fetch from each other serve each other.
 */
#include "fetch.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "channel/fetch.h"
#include "board.h"
#include "mesh.h"
#include "serve.h"
#include "service/service_link.h"
#include "service/service_lost.h"
#include "wire/pace.h"
#include "checkpoint/pack.h"
#include "wire/wire.h"

/* The answer has to wait. */
#define LATER 1

/* Nanoseconds that 1,000 bytes take at least for that, as at 2 Gbit/s: to pack them takes 1,500. */
#define WORTH_PACKING 4000u

#define REFUSAL_SIZE 512

/* A request and a refusal may wait to be sent. */
static_assert(sizeof(struct wanted_body) + REFUSAL_SIZE + 2 * sizeof(struct link_frame) <=
		      sizeof(((struct link *)NULL)->small),
	      "requests are small");

struct fetch {
	struct watcher watcher;
	int events;	      /* epoll: other monitors */
	uint64_t kept;	      /* pages served that have memory */
	struct wanted wanted; /* by this node's program */
	uint32_t owner;	      /* of that */
	uint32_t waiting;     /* others */
	/* By node. */
	struct link *link;
	struct lost *lost;
	struct wanted *asked;	/* what waits to be served */
	unsigned char **going;	/* packed pages on their way to it, or NULL */
	unsigned char **copied; /* pages on their way to it, of which nobody takes note, or NULL */
	unsigned char **coming; /* and from it, with room for all that is wanted, or NULL */
};

static void lose(struct node *node, uint32_t which, int error)
{
	link_close(&node->fetch->link[which]);
	lost_note(&node->fetch->lost[which], error);
}

static void refuse(struct node *node, const char *what)
{
	node_fail(node, 1, "node %d: at or after %.230s:%d: %s", node->rank,
		  node->channel->state.file, node->channel->state.line, what);
}

static int refuse_other(struct node *node, uint32_t which, uint64_t page, const char *why)
{
	char text[REFUSAL_SIZE];

	snprintf(text, sizeof(text),
		 "the page 0x%llx cannot be had of the program of node %d, after %.230s:%d: %s",
		 (unsigned long long)page, node->rank, node->channel->state.file,
		 node->channel->state.line, why);
	return link_put(&node->fetch->link[which], LINK_REFUSAL, text, strlen(text));
}

/* PAGES packed, and how many bytes that takes; 0: they are sent as they are. */
static size_t pack_pages(struct node *node, uint32_t which, const unsigned char *pages, size_t size)
{
	unsigned char **going = &node->fetch->going[which];

	/* The one before is sent. */
	free(*going);
	*going = node->wire->packs ? malloc(size) : NULL;
	return *going ? cape_pack(pages, size, *going) : 0;
}

static int send_pages(struct node *node, uint32_t which, unsigned char *pages, size_t size)
{
	struct iovec *piece = malloc(2 * sizeof(*piece));
	size_t packed;

	if (!piece)
		return -ENOMEM;
	packed = pack_pages(node, which, pages, size);
	if (packed)
		piece[1] = (struct iovec){node->fetch->going[which], packed};
	else
		piece[1] = (struct iovec){pages, size};
	return link_send(&node->fetch->link[which], packed ? LINK_PACKED : LINK_PAGES, piece, 2);
}

static int read_pages(struct node *node, uint32_t which, const struct wanted *wanted,
		      struct served *served)
{
	struct fetch *fetch = node->fetch;
	int error;

	if (wanted->body.copies) {
		/* Those before are sent. */
		free(fetch->copied[which]);
		served->pages = fetch->copied[which] = malloc(wanted->pages * CAPE_FETCH_PAGE);
		served->wrong = wanted->body.stretch[0].start;
		return served->pages
			       ? serve_copy(node->program, wanted, served->pages, &served->wrong)
			       : -ENOMEM;
	}
	error = serve_read(node->channel, node->program, which, wanted, served);
	if (!error && served->entries > fetch->kept)
		fetch->kept = served->entries;
	return error;
}

/* 0; LATER; or -errno: the connection is of no use any more. */
static int serve(struct node *node, uint32_t which, const struct wanted *wanted)
{
	struct served served;
	int error;

	/* Others report why. */
	if (node->failed)
		return LATER;
	if (node->program_ended)
		return refuse_other(node, which, wanted->body.stretch[0].start,
				    "the program has ended");
	if (!serve_is_ready(node->channel, wanted))
		return LATER;
	error = read_pages(node, which, wanted, &served);
	/* How it ended is known soon. */
	if (error == -ESRCH)
		return LATER;
	if (error)
		return refuse_other(node, which, served.wrong, strerror(-error));
	return send_pages(node, which, served.pages, wanted->pages * CAPE_FETCH_PAGE);
}

static int take_wanted(struct node *node, uint32_t which, const struct link_frame *frame,
		       const unsigned char *body)
{
	struct fetch *fetch = node->fetch;
	struct wanted *wanted = &fetch->asked[which];
	uint64_t stretches = (frame->size - serve_wanted_size(0)) / sizeof(struct cape_range);
	int result;

	/* A program asks for one thing at a time. */
	if (wanted->pages || link_busy(&fetch->link[which]) || frame->size < serve_wanted_size(0) ||
	    stretches > CAPE_FETCH_STRETCHES ||
	    frame->size != serve_wanted_size((uint32_t)stretches))
		return -EPROTO;
	memcpy(&wanted->body, body, frame->size);
	wanted->stretches = (uint32_t)stretches;
	if (!serve_count_pages(wanted) || !serve_comes_to(node->channel, wanted))
		return -EPROTO;
	result = serve(node, which, wanted);
	if (result == LATER)
		fetch->waiting++;
	else
		wanted->pages = 0;
	return result == LATER ? 0 : result;
}

static bool is_awaited(const struct fetch *fetch, uint32_t which)
{
	return fetch->wanted.pages && fetch->owner == which;
}

/* Pages go straight to the program. */
static unsigned char *place(void *context, struct link *link, const struct link_frame *frame)
{
	struct node *node = context;
	struct fetch *fetch = node->fetch;
	unsigned char **coming = &fetch->coming[link->number];
	uint64_t size = fetch->wanted.pages * CAPE_FETCH_PAGE;

	if (!is_awaited(fetch, link->number))
		return NULL;
	if (frame->kind == LINK_PAGES && frame->size == size)
		return cape_channel_fetched(node->channel);
	if (frame->kind != LINK_PACKED || frame->size >= size)
		return NULL;
	free(*coming);
	*coming = malloc(size);
	return *coming;
}

/* The pages that the program waits for are where it expects them, in BODY or packed in it. */
static bool take_pages(struct node *node, uint32_t which, const struct link_frame *frame,
		       const unsigned char *body)
{
	const struct fetch *fetch = node->fetch;
	unsigned char *pages = cape_channel_fetched(node->channel);
	bool right = frame->kind == LINK_PAGES && body == pages;

	if (frame->kind == LINK_PACKED && body == fetch->coming[which])
		right = cape_unpack(body, frame->size, pages,
				    fetch->wanted.pages * CAPE_FETCH_PAGE) == 0;
	free(fetch->coming[which]);
	fetch->coming[which] = NULL;
	return right;
}

static int take(void *context, struct link *link, const struct link_frame *frame,
		const unsigned char *body)
{
	struct node *node = context;
	struct fetch *fetch = node->fetch;
	char text[REFUSAL_SIZE];

	if (frame->kind == LINK_FETCH)
		return take_wanted(node, link->number, frame, body);
	if (!is_awaited(fetch, link->number))
		return -EPROTO;
	if (frame->kind == LINK_REFUSAL && frame->size < sizeof(text)) {
		snprintf(text, sizeof(text), "%.*s", (int)frame->size, body);
		refuse(node, text);
		return 0;
	}
	if (!take_pages(node, link->number, frame, body))
		return -EPROTO;
	fetch->wanted.pages = 0;
	cape_channel_reply(node->channel);
	return 0;
}

static void serve_link(struct node *node, uint32_t which, uint32_t events)
{
	struct link *link = &node->fetch->link[which];
	const struct link_reader reader = {
		.context = node,
		.place = place,
		.limit = sizeof(struct wanted_body),
		.take = take,
	};
	int error = 0;

	if (link->socket < 0)
		return;
	if (events & EPOLLOUT)
		error = link_write(link);
	if (!error && events & ~(uint32_t)EPOLLOUT)
		error = link_read(link, &reader);
	if (error)
		lose(node, which, error);
}

static void serve_events(void *context)
{
	struct node *node = context;
	struct epoll_event event[16];
	int count = epoll_wait(node->fetch->events, event, 16, 0);

	for (int i = 0; i < count; i++)
		serve_link(node, event[i].data.u32, event[i].events);
}

void fetch_look_at_version(struct node *node)
{
	struct fetch *fetch = node->fetch;

	if (!fetch || !fetch->waiting)
		return;
	for (uint32_t i = 0; i < (uint32_t)node->size; i++) {
		int result = fetch->asked[i].pages ? serve(node, i, &fetch->asked[i]) : LATER;

		if (result == LATER)
			continue;
		fetch->asked[i].pages = 0;
		fetch->waiting--;
		if (result < 0)
			lose(node, i, result);
	}
}

static void forget_sent(struct fetch *fetch, int which)
{
	if (link_busy(&fetch->link[which]))
		return;
	free(fetch->going[which]);
	free(fetch->copied[which]);
	fetch->going[which] = fetch->copied[which] = NULL;
}

/* Now and then: lost connections, a program that has ended, memory. */
static bool look(void *context)
{
	struct node *node = context;
	struct fetch *fetch = node->fetch;

	for (int i = 0; i < node->size; i++) {
		lost_look(node, &fetch->lost[i], i);
		forget_sent(fetch, i);
	}
	fetch_look_at_version(node);
	serve_trim(node->channel, &fetch->kept);
	return false;
}

/* What the program asks for, as it is now: it may change it at any time. */
static bool note_request(struct node *node)
{
	const struct cape_channel_fetch *asks = &node->channel->fetch;
	struct fetch *fetch = node->fetch;
	uint32_t owner = asks->owner, stretches = asks->stretches;

	if (!fetch || owner >= (uint32_t)node->size || owner == (uint32_t)node->rank ||
	    stretches > CAPE_FETCH_STRETCHES)
		return false;
	fetch->owner = owner;
	fetch->wanted.stretches = stretches;
	fetch->wanted.body.version = asks->version;
	fetch->wanted.body.copies = asks->copies;
	memcpy(fetch->wanted.body.stretch, cape_channel_wanted(node->channel),
	       stretches * sizeof(struct cape_range));
	return serve_count_pages(&fetch->wanted);
}

void fetch_request(struct node *node)
{
	struct fetch *fetch = node->fetch;
	char text[160];
	int error;

	/* Else what comes now would be taken for what is asked for next. */
	if (fetch && fetch->wanted.pages) {
		refuse(node, "fetches pages while it waits for others");
		return;
	}
	if (!fetch || !note_request(node)) {
		snprintf(text, sizeof(text),
			 "fetches %u stretches of pages, from 0x%llx, of node %u%s",
			 node->channel->fetch.stretches,
			 (unsigned long long)cape_channel_wanted(node->channel)->start,
			 node->channel->fetch.owner,
			 fetch ? ", which cannot be" : " without --exchange need");
		refuse(node, text);
		return;
	}
	error = link_put(&fetch->link[fetch->owner], LINK_FETCH, &fetch->wanted.body,
			 serve_wanted_size(fetch->wanted.stretches));
	if (error)
		lose(node, fetch->owner, error);
}

static int open_links(struct node *node)
{
	struct fetch *fetch = node->fetch;
	uint64_t *sent = &node->channel->statistics.sent[CAPE_SENT_FETCHED];
	struct peer *peer = calloc((size_t)node->size, sizeof(*peer));
	int error, socket;

	if (!peer)
		return -ENOMEM;
	error = mesh_connect(node, peer);
	if (!error)
		error = board_share(node, peer);
	for (int i = 0; i < node->size && !error; i++) {
		memcpy(fetch->lost[i].host, peer[i].host, sizeof(peer[i].host));
		if (peer[i].socket < 0)
			continue;
		socket = wire_join(node->wire, peer[i].socket, i, WIRE_BESIDE_FETCH);
		error = socket < 0 ? socket
				   : link_open(&fetch->link[i], socket, fetch->events, (uint32_t)i,
					       sent);
	}
	free(peer);
	return error == -ECANCELED ? 0 : error;
}

/* Whether nodes are on one machine all know alike. */
static int measure_pace(struct node *node)
{
	uint64_t pace = 0;
	int error = node->channel->board.open ? 0 : wire_pace(node->wire, &pace);

	node->wire->packs = pace > WORTH_PACKING || (node->channel->flags & CAPE_CHANNEL_STRESS);
	if (!node->channel->board.open)
		node->channel->fetch.pace = pace ? pace : 1;
	return error == -ECANCELED ? 0 : error;
}

int fetch_start(struct node *node)
{
	struct fetch *fetch;
	size_t count = (size_t)node->size;
	int error;

	if (!(node->channel->flags & CAPE_CHANNEL_NEED))
		return 0;
	fetch = calloc(1, sizeof(*fetch));
	if (!fetch)
		return -ENOMEM;
	node->fetch = fetch;
	fetch->events = epoll_create1(EPOLL_CLOEXEC);
	if (fetch->events < 0)
		return -errno;
	fetch->link = calloc(count, sizeof(*fetch->link));
	for (size_t i = 0; fetch->link && i < count; i++)
		fetch->link[i].socket = -1;
	fetch->lost = calloc(count, sizeof(*fetch->lost));
	fetch->asked = calloc(count, sizeof(*fetch->asked));
	fetch->going = calloc(count, sizeof(*fetch->going));
	fetch->copied = calloc(count, sizeof(*fetch->copied));
	fetch->coming = calloc(count, sizeof(*fetch->coming));
	if (!fetch->link || !fetch->lost || !fetch->asked || !fetch->going || !fetch->copied ||
	    !fetch->coming)
		return -ENOMEM;
	error = open_links(node);
	if (error)
		return error;
	error = measure_pace(node);
	if (error)
		return error;
	fetch->watcher = (struct watcher){.look = look, .ready = serve_events, .context = node};
	loop_add(&node->loop, &fetch->watcher);
	return loop_watch(&node->loop, &fetch->watcher, fetch->events, EPOLLIN);
}

void fetch_stop(struct node *node)
{
	struct fetch *fetch = node->fetch;

	if (!fetch)
		return;
	for (int i = 0; fetch->link && i < node->size; i++)
		link_close(&fetch->link[i]);
	for (int i = 0; fetch->going && i < node->size; i++)
		free(fetch->going[i]);
	for (int i = 0; fetch->copied && i < node->size; i++)
		free(fetch->copied[i]);
	for (int i = 0; fetch->coming && i < node->size; i++)
		free(fetch->coming[i]);
	close(fetch->events);
	free(fetch->link);
	free(fetch->lost);
	free(fetch->asked);
	free(fetch->going);
	free(fetch->copied);
	free(fetch->coming);
	free(fetch);
	node->fetch = NULL;
}

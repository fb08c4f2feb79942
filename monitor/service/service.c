// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service.c - requests from this node's program and from other monitors, and their answers.
 */
#include "service.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "common/clock.h"
#include "stream/output.h"
#include "service_connect.h"
#include "service_file.h"
#include "service_state.h"
#include "wire/wire.h"

/* What events say of node 0's clock. */
#define CLOCK_NUMBER UINT32_MAX
/* What a program printed before its request comes over MPI, mostly earlier. */
#define OUTPUT_POLLS	100
#define OUTPUT_AGAIN_NS 200000
#define MEMORY_KEPT	(32 << 20)

static struct cape_service_request *program_request(const struct node *node)
{
	return (void *)((char *)node->channel + CAPE_SERVICE_OUT);
}

static struct cape_service_reply *program_reply(const struct node *node)
{
	return (void *)((char *)node->channel + CAPE_SERVICE_IN);
}

static void refuse(struct node *node, const char *what)
{
	node_fail(node, 1, "node %d: at or after %.230s:%d: %s", node->rank,
		  node->channel->state.file, node->channel->state.line, what);
}

/* The program goes on without an answer. */
static void echo(struct node *node)
{
	uint64_t seen = program_request(node)->seen;

	node->service->echo = false;
	*program_reply(node) = (struct cape_service_reply){.seen = seen};
	cape_channel_reply(node->channel);
}

static void lose(struct node *node, uint32_t number, int error)
{
	link_close(&node->service->link[number]);
	lost_note(&node->service->lost[number], error);
}

/* An answer for node 0's own program. */
static void answer_here(struct node *node, const struct cape_service_reply *reply,
			const struct cape_service_entry *first)
{
	const struct log *log = &node->service->book.log;
	char *to = (char *)(program_reply(node) + 1);
	uint64_t position = log->seen[0];
	const struct cape_service_entry *entry = first;

	*program_reply(node) = *reply;
	for (uint64_t i = 0; i < reply->entries; i++) {
		if (!entry)
			entry = log_next(log, 0, &position);
		memcpy(to, entry, log_block_size(entry));
		to += log_block_size(entry);
		entry = NULL;
	}
	node->service->asked = false;
	cape_channel_reply(node->channel);
}

/* The reply and the blocks of the log are sent from where they are. */
static void answer(void *context, uint32_t which, const struct cape_service_reply *reply,
		   const struct cape_service_entry *first)
{
	struct node *node = context;
	struct service *service = node->service;
	const struct log *log = &service->book.log;
	uint64_t position = log->seen[which];
	const struct cape_service_entry *entry = first;
	struct iovec *piece;
	int error;

	if (which == 0) {
		answer_here(node, reply, first);
		return;
	}
	service->reply[which] = *reply;
	piece = malloc((2 + reply->entries) * sizeof(*piece));
	if (!piece) {
		node_fail(node, 1, "node 0: out of memory");
		return;
	}
	piece[1].iov_base = &service->reply[which];
	piece[1].iov_len = sizeof(*reply);
	for (uint64_t i = 0; i < reply->entries; i++) {
		if (!entry)
			entry = log_next(log, which, &position);
		piece[2 + i].iov_base = (void *)entry;
		piece[2 + i].iov_len = log_block_size(entry);
		entry = NULL;
	}
	error = link_send(&service->link[which], LINK_REPLY, piece, 2 + reply->entries);
	if (error)
		lose(node, which, error);
}

/* A thread waits no longer. */
static void call(void *context, uint32_t which, uint32_t tag)
{
	struct node *node = context;
	int error = 0;

	if (which == 0)
		cape_channel_call(node->channel, tag);
	else
		error = link_put(&node->service->link[which], LINK_CALL, &tag, sizeof(tag));
	if (error)
		lose(node, which, error);
}

static bool any_held(const struct service *service)
{
	for (uint32_t i = 1; i < service->links; i++)
		if (service->link[i].held)
			return true;
	return false;
}

/* Flushes that wait, and requests that wait for what was printed before, are woken by a clock. */
static void set_clock(struct node *node)
{
	uint64_t now = clock_now();
	uint64_t next = book_look_at_clock(&node->service->book, now);
	struct itimerspec time = {0};

	if (any_held(node->service) && now + OUTPUT_AGAIN_NS < next)
		next = now + OUTPUT_AGAIN_NS;
	if (next != UINT64_MAX) {
		time.it_value.tv_sec = (time_t)(next / 1000000000u);
		time.it_value.tv_nsec = (long)(next % 1000000000u);
	}
	timerfd_settime(node->service->clock, TFD_TIMER_ABSTIME, &time, NULL);
}

/* Node 0: what any node asks, its own included. */
static const char *ask(struct node *node, const struct cape_service_request *request,
		       const unsigned char *payload)
{
	const char *wrong = book_ask(&node->service->book, request, payload, clock_now());

	if (!wrong && request->kind == CAPE_SERVICE_FLUSH && request->flush.microseconds)
		set_clock(node);
	return wrong;
}

static void request_here(struct node *node)
{
	/* Once it is answered, the program may write the next one. */
	const struct cape_service_request request = *program_request(node);
	bool answers = cape_service_is_answered(request.kind);
	const char *wrong;

	node->service->asked = answers;
	wrong = ask(node, &request, (const unsigned char *)(program_request(node) + 1));
	if (wrong)
		refuse(node, wrong);
	else if (!answers)
		echo(node);
}

static void request_away(struct node *node)
{
	struct service *service = node->service;
	struct passed_on *passed_on = &service->passed_on;
	struct iovec *piece;
	int error;

	if (service->why[0]) {
		node_fail(node, 1, "%s", service->why);
		return;
	}
	piece = malloc(3 * sizeof(*piece));
	if (!piece) {
		refuse(node, "out of memory");
		return;
	}
	passed_on->output_sent = node->output_sent;
	passed_on->request = *program_request(node);
	piece[1].iov_base = passed_on;
	piece[1].iov_len = sizeof(*passed_on);
	piece[2].iov_base = program_request(node) + 1;
	piece[2].iov_len = passed_on->request.size;
	service->asked = cape_service_is_answered(passed_on->request.kind);
	service->echo = !service->asked;
	error = link_send(service->link, LINK_REQUEST, piece, 3);
	if (error)
		lose(node, 0, error);
	else if (service->echo && !link_busy(service->link))
		echo(node);
}

/* Whether others may go on because of this request, and print after what this node printed. */
static bool lets_others_go_on(uint32_t kind)
{
	return kind == CAPE_SERVICE_FLUSH || !cape_service_is_answered(kind);
}

void service_request(struct node *node)
{
	struct cape_service_request *request = program_request(node);

	request->node = (uint32_t)node->rank;
	if (node->rank > 0 && lets_others_go_on(request->kind))
		output_drain(node);
	/* Node 0 has it when it answers. */
	if (request->kind == CAPE_SERVICE_FLUSH)
		node->channel->board.shown = node->channel->board.printed;
	if (request->size > CAPE_CHANNEL_IN - CAPE_SERVICE_OUT - sizeof(*request))
		refuse(node, "a request is larger than its area");
	else if (node->rank == 0)
		request_here(node);
	else
		request_away(node);
}

/* A reply goes straight to the program. */
static unsigned char *place(void *context, struct link *link, const struct link_frame *frame)
{
	struct node *node = context;

	(void)link;
	if (node->rank != 0 && frame->kind == LINK_REPLY && node->service->asked &&
	    frame->size >= sizeof(struct cape_service_reply) &&
	    frame->size < CAPE_CHANNEL_LIMIT / 2)
		return (unsigned char *)program_reply(node);
	return NULL;
}

static bool output_has_come(struct node *node, uint32_t which, uint64_t sent)
{
	for (int i = 0; i < OUTPUT_POLLS; i++)
		if (output_is_here(node, (int)which, sent))
			return true;
	return false;
}

static int answer_file(struct node *node, uint32_t which, const struct cape_service_reply *reply,
		       void *bytes)
{
	struct iovec *piece = malloc(3 * sizeof(*piece));

	if (!piece)
		return -ENOMEM;
	node->service->reply[which] = *reply;
	piece[1].iov_base = &node->service->reply[which];
	piece[1].iov_len = sizeof(*reply);
	piece[2].iov_base = bytes;
	piece[2].iov_len = reply->size;
	return link_send(&node->service->link[which], LINK_REPLY, piece, reply->size ? 3 : 2);
}

static int take_file_request(struct node *node, struct link *link,
			     const struct cape_service_request *request,
			     const unsigned char *payload)
{
	struct cape_service_reply reply;
	void *bytes = NULL;
	char wrong[200];
	int result = service_file_request(node, request, payload, &reply, &bytes);

	if (result == 0)
		return answer_file(node, link->number, &reply, bytes);
	if (result == LINK_LATER)
		return LINK_LATER;
	snprintf(wrong, sizeof(wrong),
		 "node 0's monitor cannot reach the files that its program has open: %s; "
		 "pidfd_getfd() must be allowed",
		 strerror(-result));
	return link_put(link, LINK_REFUSAL, wrong, strlen(wrong));
}

static int take_request(struct node *node, struct link *link, const struct link_frame *frame,
			const unsigned char *body)
{
	struct passed_on passed_on;
	const char *wrong;

	if (frame->size < sizeof(passed_on))
		return -EPROTO;
	memcpy(&passed_on, body, sizeof(passed_on));
	if (passed_on.request.size != frame->size - sizeof(passed_on))
		return -EPROTO;
	if (lets_others_go_on(passed_on.request.kind) &&
	    !output_has_come(node, link->number, passed_on.output_sent))
		return LINK_LATER;
	passed_on.request.node = link->number;
	if (passed_on.request.kind == CAPE_SERVICE_FILE)
		return take_file_request(node, link, &passed_on.request, body + sizeof(passed_on));
	wrong = ask(node, &passed_on.request, body + sizeof(passed_on));
	return wrong ? link_put(link, LINK_REFUSAL, wrong, strlen(wrong)) : 0;
}

static int take_at_node_0(struct node *node, struct link *link, const struct link_frame *frame,
			  const unsigned char *body)
{
	struct whereabouts whereabouts;

	switch (frame->kind) {
	case LINK_REQUEST:
		return take_request(node, link, frame, body);
	case LINK_WHEREABOUTS:
		if (frame->size != sizeof(whereabouts))
			return -EPROTO;
		memcpy(&whereabouts, body, sizeof(whereabouts));
		deadlock_answer(node, link->number, &whereabouts);
		return 0;
	default:
		return -EPROTO;
	}
}

static int take_at_others(struct node *node, struct link *link, const struct link_frame *frame,
			  const unsigned char *body)
{
	struct whereabouts whereabouts;
	char text[256];
	uint32_t round, tag;

	switch (frame->kind) {
	case LINK_CALL:
		if (frame->size != sizeof(tag))
			return -EPROTO;
		memcpy(&tag, body, sizeof(tag));
		if (tag >= CAPE_CHANNEL_TAGS)
			return -EPROTO;
		cape_channel_call(node->channel, tag);
		return 0;
	case LINK_REPLY:
		if (body != (const unsigned char *)program_reply(node))
			return -EPROTO;
		node->service->asked = false;
		cape_channel_reply(node->channel);
		return 0;
	case LINK_REFUSAL:
		snprintf(text, sizeof(text), "%.*s",
			 (int)(frame->size < sizeof(text) ? frame->size : sizeof(text) - 1), body);
		refuse(node, text);
		return 0;
	case LINK_QUESTION:
		if (frame->size != sizeof(round))
			return -EPROTO;
		memcpy(&round, body, sizeof(round));
		whereabouts = deadlock_whereabouts(node, round);
		return link_put(link, LINK_WHEREABOUTS, &whereabouts, sizeof(whereabouts));
	case LINK_ALONE:
		alone_look(node);
		return 0;
	default:
		return -EPROTO;
	}
}

static int take(void *context, struct link *link, const struct link_frame *frame,
		const unsigned char *body)
{
	struct node *node = context;

	return node->rank == 0 ? take_at_node_0(node, link, frame, body)
			       : take_at_others(node, link, frame, body);
}

static struct link_reader reader_of(struct node *node)
{
	return (struct link_reader){
		.context = node,
		.place = place,
		.limit = node->rank == 0 ? node->service->book.log.limit
					 : sizeof(node->service->link->small),
		.take = take,
	};
}

static void serve_link(struct node *node, uint32_t number, uint32_t events)
{
	struct service *service = node->service;
	struct link *link = &service->link[number];
	const struct link_reader reader = reader_of(node);
	int error = 0;

	if (link->socket < 0)
		return;
	if (events & EPOLLOUT)
		error = link_write(link);
	if (!error && service->echo && !link_busy(link))
		echo(node);
	if (!error && events & ~(uint32_t)EPOLLOUT)
		error = link_read(link, &reader);
	if (error)
		lose(node, number, error);
	else if (link->held)
		set_clock(node);
}

static void serve_clock(struct node *node)
{
	struct service *service = node->service;
	const struct link_reader reader = reader_of(node);

	for (uint32_t i = 1; i < service->links; i++) {
		int error = service->link[i].held ? link_again(&service->link[i], &reader) : 0;

		if (error)
			lose(node, i, error);
	}
	set_clock(node);
}

static void serve_events(void *context)
{
	service_serve(context);
}

void service_serve(struct node *node)
{
	struct epoll_event event[16];
	int count;

	if (!node->service)
		return;
	count = epoll_wait(node->service->events, event, 16, 0);
	for (int i = 0; i < count; i++) {
		if (event[i].data.u32 == CLOCK_NUMBER)
			serve_clock(node);
		else
			serve_link(node, event[i].data.u32, event[i].events);
	}
}

/* Now and then: lost connections, deadlocks. */
static bool look(void *context)
{
	struct node *node = context;
	struct service *service = node->service;

	for (uint32_t i = 0; i < service->links; i++)
		lost_look(node, &service->lost[i], (int)i);
	if (node->rank == 0 && !node->failed)
		deadlock_look(node);
	return false;
}

int service_lost_node(const struct node *node)
{
	const struct service *service = node->service;

	for (uint32_t i = 0; service && i < service->links; i++)
		if (service->lost[i].when)
			return (int)i;
	return -1;
}

bool service_lost_silently(const struct node *node)
{
	const struct service *service = node->service;

	return node->rank > 0 && service && lost_is_silent(&service->lost[0]);
}

static int start_clock(struct node *node)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = CLOCK_NUMBER};
	int clock = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	node->service->clock = clock;
	if (clock < 0 || epoll_ctl(node->service->events, EPOLL_CTL_ADD, clock, &event) < 0)
		return -errno;
	return 0;
}

uint64_t service_log_limit(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) / 4 * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Checkpoints come and go, and memory that went back to the kernel comes again page by page. */
static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, MEMORY_KEPT);
	mallopt(M_TRIM_THRESHOLD, MEMORY_KEPT);
}

static int open_links(struct node *node)
{
	struct service *service = node->service;
	uint64_t *sent = &node->channel->statistics.sent[CAPE_SENT_SERVICE];
	struct peer *peer = calloc(service->links, sizeof(*peer));
	int error = 0, socket;

	if (!peer)
		return -ENOMEM;
	for (uint32_t i = 0; i < service->links; i++)
		service->link[i].socket = peer[i].socket = -1;
	if (node->size > 1)
		service_connect(node, peer, service->why, sizeof(service->why));
	for (uint32_t i = 0; i < service->links && !error; i++) {
		memcpy(service->lost[i].host, peer[i].host, sizeof(peer[i].host));
		if (peer[i].socket < 0)
			continue;
		socket = wire_join(node->wire, peer[i].socket, (int)i, WIRE_BESIDE_SERVICE);
		error = socket < 0 ? socket
				   : link_open(&service->link[i], socket, service->events, i, sent);
	}
	free(peer);
	return error;
}

int service_start(struct node *node)
{
	struct service *service = calloc(1, sizeof(*service));
	int error;

	if (!service)
		return -ENOMEM;
	node->service = service;
	service->events = epoll_create1(EPOLL_CLOEXEC);
	if (service->events < 0)
		return -errno;
	keep_memory();
	service->links = node->rank == 0 ? (uint32_t)node->size : 1;
	service->link = calloc(service->links, sizeof(*service->link));
	service->lost = calloc(service->links, sizeof(*service->lost));
	service->reply = calloc(service->links, sizeof(*service->reply));
	if (!service->link || !service->lost || !service->reply)
		return -ENOMEM;
	if (node->rank == 0) {
		service->files = service_file_start(node->size);
		if (!service->files)
			return -ENOMEM;
		error = book_start(&service->book, (uint32_t)node->size, service_log_limit(),
				   answer, call, node);
		if (!error)
			error = start_clock(node);
		if (!error)
			error = deadlock_start(node);
		if (error)
			return error;
	}
	error = open_links(node);
	if (error)
		return error;
	service->watcher = (struct watcher){.look = look, .ready = serve_events, .context = node};
	loop_add(&node->loop, &service->watcher);
	return loop_watch(&node->loop, &service->watcher, service->events, EPOLLIN);
}

void service_stop(struct node *node)
{
	struct service *service = node->service;

	for (uint32_t i = 0; i < service->links; i++)
		link_close(&service->link[i]);
	if (node->rank == 0) {
		deadlock_stop(node);
		book_stop(&service->book);
		service_file_stop(service->files, node->size);
		close(service->clock);
	}
	close(node->service->events);
	free(service->link);
	free(service->lost);
	free(service->reply);
	free(service);
}

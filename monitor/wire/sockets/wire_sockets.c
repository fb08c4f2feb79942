// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire_sockets.c - the wire over one socket to each other node, on one machine, for tests.
 *
 * cape-run makes the sockets and starts the monitors (run/sockets.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "base/loop.h"
#include "common/clock.h"
#include "common/sockets.h"
#include "line.h"
#include "pair.h"
#include "wire/wire.h"

#define READY	    16		  /* taken at a time */
#define FAREWELL_NS 2000000000ull /* for the last messages to go */

struct sockets {
	struct wire wire;  /* first: what others see of it */
	int events;	   /* epoll of all pairs */
	uint64_t barriers; /* that this node has begun */
	int first;	   /* whose messages are looked for first */
	struct watcher watcher;
	struct pair *pair;   /* by node */
	uint64_t seed;	     /* of mischief; 0: none is done */
	struct lines *lines; /* NULL: none */
};

/*
 * A request's handle is what a pair gives for it; that of a barrier, which has none, is odd: twice
 * its number, counted from 1, and one.
 */
static void keep(struct wire_request *request, struct item *item)
{
	request->handle = (uint64_t)(uintptr_t)item;
	request->pending = item;
}

static struct item *item_of(const struct wire_request *request)
{
	return (struct item *)(uintptr_t)request->handle;
}

static bool is_barrier(const struct wire_request *request)
{
	return request->handle & 1;
}

static struct sockets *sockets_of(struct wire *wire)
{
	return (struct sockets *)wire;
}

static void turn(struct sockets *sockets)
{
	struct epoll_event event[READY];
	int count = epoll_wait(sockets->events, event, READY, 0);

	for (int i = 0; i < count; i++) {
		struct pair *pair = event[i].data.ptr;

		pair_turn(pair);
		if (pair->lost && !sockets->wire.lost)
			sockets->wire.lost = 1 + pair->other;
	}
	for (int i = 0; sockets->seed && i < sockets->wire.size; i++)
		pair_look(&sockets->pair[i]);
}

static void send_message(struct wire *wire, const void *bytes, size_t size, int to,
			 enum wire_tag tag, struct wire_request *request)
{
	keep(request, pair_send(&sockets_of(wire)->pair[to], bytes, size, tag, false));
}

static void send_until_taken(struct wire *wire, const void *bytes, size_t size, int to,
			     enum wire_tag tag, struct wire_request *request)
{
	keep(request, pair_send(&sockets_of(wire)->pair[to], bytes, size, tag, true));
}

static void receive_message(struct wire *wire, void *bytes, size_t size, int from,
			    enum wire_tag tag, struct wire_request *request)
{
	keep(request, pair_receive(&sockets_of(wire)->pair[from], bytes, size, tag));
}

static void barrier(struct wire *wire, struct wire_request *request)
{
	struct sockets *sockets = sockets_of(wire);

	sockets->barriers++;
	for (int i = 0; i < wire->size; i++)
		if (i != wire->rank)
			pair_tell(&sockets->pair[i], PAIR_TAG_BARRIER, 0);
	request->handle = sockets->barriers << 1 | 1;
}

static bool all_have_begun(const struct sockets *sockets, uint64_t number)
{
	for (int i = 0; i < sockets->wire.size; i++)
		if (i != sockets->wire.rank && sockets->pair[i].barriers < number)
			return false;
	return true;
}

static bool probe(struct wire *wire, enum wire_tag tag, int *from)
{
	struct sockets *sockets = sockets_of(wire);

	turn(sockets);
	for (int i = 0; i < wire->size; i++) {
		int which = (sockets->first + i) % wire->size;

		if (!pair_has(&sockets->pair[which], tag))
			continue;
		sockets->first = which + 1;
		*from = which;
		return true;
	}
	return false;
}

/* Whether REQUEST is done, as far as is known here. */
static bool is_done(const struct sockets *sockets, const struct wire_request *request)
{
	if (is_barrier(request))
		return all_have_begun(sockets, request->handle >> 1);
	return item_of(request)->ended;
}

static bool test(struct wire *wire, struct wire_request *request)
{
	struct sockets *sockets = sockets_of(wire);

	if (!is_done(sockets, request))
		turn(sockets);
	if (!is_done(sockets, request))
		return false;
	if (is_barrier(request))
		return true;
	request->size = item_of(request)->size;
	free(item_of(request));
	return true;
}

static void cancel(struct wire *wire, struct wire_request *request)
{
	(void)wire;
	pair_cancel(item_of(request));
}

static bool are_idle(const struct sockets *sockets)
{
	for (int i = 0; i < sockets->wire.size; i++)
		if (!pair_is_idle(&sockets->pair[i]))
			return false;
	return true;
}

static void stop_lines(struct wire *wire)
{
	struct sockets *sockets = sockets_of(wire);

	if (sockets->lines)
		lines_stop(sockets->lines);
	sockets->lines = NULL;
}

static void free_sockets(struct sockets *sockets)
{
	for (int i = 0; i < sockets->wire.size; i++)
		pair_close(&sockets->pair[i]);
	stop_lines(&sockets->wire);
	if (sockets->events >= 0)
		close(sockets->events);
	free(sockets->pair);
	free(sockets);
}

/* What the sockets have taken comes to the others though this end is closed. */
static void close_wire(struct wire *wire)
{
	struct sockets *sockets = sockets_of(wire);
	uint64_t until = clock_now() + FAREWELL_NS;

	while (!are_idle(sockets) && clock_now() < until) {
		turn(sockets);
		usleep(200);
	}
	free_sockets(sockets);
}

static int join(struct wire *wire, int socket, int other, enum wire_beside what)
{
	static const enum mischief_line kind[] = {
		[WIRE_BESIDE_SERVICE] = MISCHIEF_SERVICE,
		[WIRE_BESIDE_FETCH] = MISCHIEF_FETCH,
		[WIRE_BESIDE_PEERS] = MISCHIEF_PEERS,
	};
	struct lines *lines = sockets_of(wire)->lines;

	return lines ? lines_join(lines, socket, other, kind[what]) : socket;
}

static const struct wire_ops sockets_ops = {
	.send = send_message,
	.send_until_taken = send_until_taken,
	.receive = receive_message,
	.barrier = barrier,
	.probe = probe,
	.test = test,
	.cancel = cancel,
	.join = join,
	.leave = stop_lines,
	.close = close_wire,
};

/* The socket to the next node: its number in LIST, which goes on after it.  Below -1: there is
 * none. */
static int next_socket(const char **list)
{
	char *end;
	long number = strtol(*list, &end, 10);

	if (end == *list || number < -1 || number > INT32_MAX)
		return -2;
	*list = end;
	return (int)number;
}

/* 0 or -errno. */
static int open_pair(struct sockets *sockets, int other, int socket)
{
	if (socket < 0)
		return pair_open(&sockets->pair[other], other, socket, sockets->events);
	if (fcntl(socket, F_SETFD, FD_CLOEXEC) < 0 || fcntl(socket, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	if (sockets->lines)
		socket = lines_join(sockets->lines, socket, other, MISCHIEF_WIRE);
	return socket < 0 ? socket
			  : pair_open(&sockets->pair[other], other, socket, sockets->events);
}

/* How many nodes LIST has, and in *RANK which of them is this one. */
static int count_nodes(const char *list, int *rank)
{
	int size = 0, socket;

	for (; size < SOCKETS_NODES && (socket = next_socket(&list)) >= -1; size++)
		if (socket < 0)
			*rank = size;
	return size;
}

/* By SEED, "SEED" or "SEED,SECONDS" with a cut; NULL or "0": none.  0 or -errno. */
static int make_mischief(struct sockets *sockets, const char *seed)
{
	struct wire *wire = &sockets->wire;
	struct mischief_cut cut;
	char *rest;

	sockets->seed = seed ? strtoull(seed, &rest, 10) : 0;
	if (!sockets->seed)
		return 0;
	wire->apart = mischief_parts(sockets->seed);
	if (*rest && wire->size > 1)
		cut = mischief_cut(sockets->seed, wire->size);
	sockets->lines =
		lines_start(sockets->seed, wire->rank, *rest && wire->size > 1 ? &cut : NULL,
			    *rest ? atoi(rest + 1) : 0);
	return sockets->lines ? 0 : -ENOMEM;
}

/* 0 or -errno. */
static int open_pairs(struct sockets *sockets, const char *list)
{
	struct wire *wire = &sockets->wire;
	int error;

	wire->size = count_nodes(list, &wire->rank);
	sockets->pair = calloc(SOCKETS_NODES, sizeof(*sockets->pair));
	sockets->events = epoll_create1(EPOLL_CLOEXEC);
	if (!sockets->pair || sockets->events < 0)
		return -ENOMEM;
	error = make_mischief(sockets, getenv(SOCKETS_SEED_VARIABLE));
	for (int i = 0; i < wire->size && !error; i++) {
		error = open_pair(sockets, i, next_socket(&list));
		if (sockets->seed)
			sockets->pair[i].mischief = mischief_start(sockets->seed, wire->rank, i, 0);
	}
	return error;
}

struct wire *wire_open(struct loop *loop)
{
	const char *list = getenv(SOCKETS_VARIABLE);
	struct sockets *sockets = calloc(1, sizeof(*sockets));

	if (!sockets)
		return NULL;
	sockets->wire = (struct wire){.ops = &sockets_ops, .loop = loop};
	/* Whoever watches looks when something has come. */
	sockets->watcher = (struct watcher){.context = sockets};
	sockets->events = -1;
	if (open_pairs(sockets, list ? list : "") < 0 ||
	    loop_watch(loop, &sockets->watcher, sockets->events, EPOLLIN) < 0) {
		free_sockets(sockets);
		return NULL;
	}
	unsetenv(SOCKETS_VARIABLE);
	unsetenv(SOCKETS_SEED_VARIABLE);
	loop->woken = true;
	return &sockets->wire;
}

/* Sockets join all of them from the beginning. */
bool *wire_meet(int seconds, int *rank, int *size)
{
	const char *list = getenv(SOCKETS_VARIABLE);
	bool *met = calloc(SOCKETS_NODES, sizeof(*met));

	(void)seconds;
	*rank = 0;
	*size = met && list ? count_nodes(list, rank) : 0;
	if (met)
		memset(met, true, (size_t)*size * sizeof(*met));
	return met;
}

void wire_part(void)
{
}

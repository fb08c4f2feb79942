/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_book.h - what node 0's monitor keeps for the whole run: locks, loops, singles, groups
 * of tasks, the log; and who waits for what.  Knows nothing of sockets, programs or MPI.
 *
 * A node asks for one thing at a time and waits until it is answered (channel/service.h).
 */
#ifndef CAPE_SERVICE_BOOK_H
#define CAPE_SERVICE_BOOK_H

#include <stdbool.h>
#include <stdint.h>
#include "channel/book.h"
#include "channel/service.h"
#include "service_log.h"
#include "service_shelf.h"

struct book_node {
	bool waits;
	struct cape_service_request request; /* what for */
	uint64_t ticket;		     /* in which order nodes began to wait */
	uint64_t until; /* FLUSH: nanoseconds; TASK_WAIT: for the tasks before this one */
};

/* Who waits for a turn in an ordered loop. */
struct book_turn {
	struct book_turn *next;
	struct cape_service_request wait;
};

/*
 * NODE waits no longer: it gets REPLY, then FIRST if not NULL, then reply->entries from the log
 * beginning with log.seen[node].  They stay until NODE asks again.
 */
typedef void book_answer(void *context, uint32_t node, const struct cape_service_reply *reply,
			 const struct cape_service_entry *first);

/* The thread of NODE that has TAG has what it asked for. */
typedef void book_call(void *context, uint32_t node, uint32_t tag);

struct book {
	struct log log;
	uint32_t nodes;
	struct book_node *node;
	uint64_t tickets;
	uint64_t changes;	/* counts everything that was asked or answered */
	struct cape_book *held; /* locks and loops */
	struct shelf ordered, singles, groups;
	struct book_turn *turns;
	book_answer *answer;
	book_call *call;
	void *context;
};

/* LIMIT: bytes that the log may hold.  0 or -ENOMEM. */
int book_start(struct book *book, uint32_t nodes, uint64_t limit, book_answer *answer,
	       book_call *call, void *context);
void book_stop(struct book *book);

/*
 * REQUEST with its PAYLOAD, asked at NOW (CLOCK_MONOTONIC, nanoseconds).  NULL, or what is wrong
 * with it, for the user; nothing was answered then.
 */
const char *book_ask(struct book *book, const struct cape_service_request *request,
		     const unsigned char *payload, uint64_t now);

/* Answers those who have waited long enough.  When to come again, or UINT64_MAX. */
uint64_t book_look_at_clock(struct book *book, uint64_t now);

/* What follows is between the parts of the book. */

/* Answers NODE with REPLY; NEWS: with what it has not seen, FIRST before it. */
void book_reply(struct book *book, uint32_t node, struct cape_service_reply reply, bool news,
		const struct cape_service_entry *first);

/* NODE, or its thread that has TAG, has what it waited for: answers it, or calls it. */
void book_give(struct book *book, uint32_t node, uint32_t tag);

/* Of the nodes that wait in KIND for ID, the one that came first, or -1. */
int book_first_waiting(const struct book *book, uint32_t kind, uint64_t id);

/* The node begins to wait in what it asked; a thread of it: it is answered 0. */
void book_wait(struct book *book, const struct cape_service_request *request, uint64_t until);

/* Nodes that were counted once: COUNT of SIZE. */
struct book_roll {
	uint32_t size;
	uint32_t count;
	uint64_t had[];
};
/* Bytes of a roll for that many nodes. */
size_t book_roll_size(uint32_t nodes);
/* NULL or what is wrong: SIZE is not what other nodes said, or NODE was counted before. */
const char *book_roll_begin(const struct book *book, struct book_roll *roll, uint64_t size,
			    uint32_t node);
/* Counts NODE; whether it was the last. */
bool book_roll_count(struct book_roll *roll, uint32_t node);

/* By kind of request; as book_ask(). */
const char *book_chunk(struct book *book, const struct cape_service_request *request);
const char *book_single(struct book *book, const struct cape_service_request *request);
const char *book_ordered_wait(struct book *book, const struct cape_service_request *request);
const char *book_ordered_done(struct book *book, const struct cape_service_request *request);
const char *book_task_post(struct book *book, const struct cape_service_request *request,
			   const unsigned char *task, uint64_t size);
const char *book_task_take(struct book *book, const struct cape_service_request *request);
const char *book_task_done(struct book *book, const struct cape_service_request *request);
const char *book_task_wait(struct book *book, const struct cape_service_request *request);
const char *book_task_close(struct book *book, const struct cape_service_request *request);
void book_stop_loops(struct book *book);
void book_stop_tasks(struct book *book);

#endif

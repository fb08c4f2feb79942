/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_state.h - the service's context, and the search for nodes that wait without end.
 */
#ifndef CAPE_SERVICE_STATE_H
#define CAPE_SERVICE_STATE_H

#include "base/node.h"
#include "service_book.h"
#include "service_connect.h"
#include "service_link.h"
#include "service_lost.h"

/* A program's request on its way to node 0. */
struct passed_on {
	uint64_t output_sent; /* bytes the program had printed, which node 0 must write first */
	struct cape_service_request request;
};

enum activity {
	ACTIVITY_COMPUTES,
	ACTIVITY_EXCHANGES,
	ACTIVITY_IS_SERVED,
	ACTIVITY_WAITS, /* of several threads: all wait for locks and turns */
	ACTIVITY_ENDED,
};

/* What a node's program is doing, as its own monitor knows it. */
struct whereabouts {
	uint32_t round; /* the question's */
	uint32_t activity;
	uint64_t requests;  /* that it has made so far */
	uint64_t exchanges; /* that it has begun */
	int32_t line;	    /* of the construct it met last */
	char file[CAPE_PLACE_FILE];
};

/* Node 0's search for a deadlock. */
struct search {
	uint64_t quiet_since; /* nanoseconds: nothing has moved */
	uint64_t changes;     /* of the books, as they were then */
	uint64_t requests;    /* of node 0's program */
	uint32_t round;	      /* of questions; the current one, or the last */
	uint32_t missing;     /* answers */
	bool asking;
	bool suspicious;		  /* BEFORE holds a round in which all nodes waited */
	struct whereabouts *now, *before; /* by node */
	const struct cape_book *board;	  /* the book on the board, if there is one */
};

/* A program that computes on while all others wait. */
struct alone {
	uint32_t node;	   /* node 0: whose it is */
	uint64_t requests; /* that it had made */
	uint64_t since;	   /* nanoseconds; 0: never */
	bool reported;	   /* the node itself: the user knows */
};

struct service {
	struct watcher watcher;
	int events;	   /* epoll: other monitors' requests and answers */
	struct link *link; /* node 0: by node; else one, to node 0 */
	uint32_t links;
	struct lost *lost;		  /* by link */
	struct cape_service_reply *reply; /* by node: being sent */
	char why[512];			  /* there is no connection */
	struct passed_on passed_on;	  /* being sent */
	bool asked;			  /* the program waits for an answer of node 0 */
	bool echo;			  /* it will be replied to once its request is sent */
	struct book book;		  /* node 0 */
	struct service_file *files;	  /* node 0 */
	int clock;			  /* node 0: timerfd for flushes that wait */
	struct search search;
	struct alone alone;
};

/* This node's. */
struct whereabouts deadlock_whereabouts(const struct node *node, uint32_t round);

int deadlock_start(struct node *node); /* 0 or -ENOMEM */
void deadlock_stop(struct node *node);

/* Node 0: asks around when nothing has moved for a while; ends the run when nothing can. */
void deadlock_look(struct node *node);

/* Node 0: all others wait for WHICH, which computes; after some seconds it has to look. */
void alone_ask(struct node *node, uint32_t which);

/* Says so if this node's program only waits, once. */
void alone_look(struct node *node);

/* Node 0: WHICH has answered. */
void deadlock_answer(struct node *node, uint32_t which, const struct whereabouts *answer);

#endif

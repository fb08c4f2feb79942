/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * transitions.h - the states of a page where nodes exchange by need, and what leads from one to
 * another.  need/README.md draws them.
 */
#ifndef CAPE_TRANSITIONS_H
#define CAPE_TRANSITIONS_H

#include <stdbool.h>
#include <stdint.h>

/* What a page is to this node.  SHUT: the program cannot access it; nor can it if it is stale. */
enum cape_page_state {
	CAPE_PAGE_COMMON,     /* all nodes hold it */
	CAPE_PAGE_STALE,      /* others hold it */
	CAPE_PAGE_HELD,	      /* this node holds it, and another owns it */
	CAPE_PAGE_HELD_SHUT,  /* ... */
	CAPE_PAGE_OWNED,      /* this node owns it, and others hold it */
	CAPE_PAGE_OWNED_SHUT, /* ... */
	CAPE_PAGE_ALONE,      /* this node owns it, and nobody else holds it */
	CAPE_PAGE_ALONE_SHUT, /* ... */
	CAPE_PAGE_STATES,
};

/* What may change it. */
enum cape_page_event {
	/* Between sync points. */
	CAPE_EVENT_OPEN,  /* a region comes to it, which this node holds */
	CAPE_EVENT_SHUT,  /* sequential code begins; it has come without being asked for */
	CAPE_EVENT_FETCH, /* a region comes to it, and another node owns it */
	CAPE_EVENT_SERVE, /* another node has fetched it from this one */
	CAPE_EVENT_SHARE, /* sequential code comes to it, on all nodes */
	/* In a sync point. */
	CAPE_EVENT_EXPECT,  /* its owner, or the node that claims it, pushes it to this node */
	CAPE_EVENT_PUBLISH, /* all get it, or have it */
	CAPE_EVENT_NOTICE,  /* a node says that it has fetched it */
	CAPE_EVENT_PUSH,    /* its owner has pushed it to others */
	CAPE_EVENT_CLAIM,   /* a node holds it alone, except for those to whom it pushes it */
	CAPE_EVENT_JOIN,    /* those who write to it hold it */
	CAPE_EVENT_PLAN,    /* a loop that the compiler knows has written it, on one node */
	/* A run goes on from where it was saved. */
	CAPE_EVENT_RESTORE,
	CAPE_EVENTS,
};

struct cape_runtime;

/*
 * How much is checked: CAPE_TEST_PAGES of the environment says whether anything is, and may name an
 * event that is to be refused.
 */
struct cape_transitions {
	bool checked;
	uint32_t refused; /* bit N: event N */
};

void cape_transitions_start(struct cape_transitions *transitions, const char *refused);

/* Ends the run if EVENT does not make a page at ADDRESS what it is AFTER, from what it was BEFORE.
 */
void cape_transitions_check(struct cape_runtime *runtime,
			    const struct cape_transitions *transitions, uint64_t address,
			    enum cape_page_state before, enum cape_page_event event,
			    enum cape_page_state after);

#endif

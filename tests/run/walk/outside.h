/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outside.h - what the nodes of the walk share besides CAPE: whose turn it is, and what is right.
 *
 * CAPE knows nothing of this memory, which lies at the same address on all nodes.
 */
#ifndef CAPE_TEST_WALK_OUTSIDE_H
#define CAPE_TEST_WALK_OUTSIDE_H

#include <stdint.h>

#define NODES 3
#define PAGES 2

/* What is written to a page: words of each node's own, ... */
enum walk_word {
	OWN_OF_FIRST,
	LOCKED = NODES,			/* changed with a lock held */
	SEQUENTIAL,			/* by sequential code */
	MANY_OF_FIRST,			/* so many that the page is worth a claim */
	SHARED = MANY_OF_FIRST + NODES, /* by any node, but one between two sync points */
	WORDS,
};

/* A flush waits until others can take what it publishes; only the next to lock waits for that. */
enum walk_publishing { BY_FLUSH, BY_LOCK, PUBLISHED };

/* What happens next: of one node and page, of one node, or of all. */
enum walk_event {
	READ,
	WRITE_OWN,
	WRITE_MANY,
	WRITE_LOCKED,
	OF_A_PAGE,
	FLUSH = NODES * PAGES * OF_A_PAGE,
	BARRIER = FLUSH + NODES, /* in two places: readers are learned of each */
	OTHER_BARRIER,
	END, /* of the region; another one begins */
	SEQUENTIAL_READ,
	SEQUENTIAL_WRITE = SEQUENTIAL_READ + PAGES,
	EVENTS = SEQUENTIAL_WRITE + PAGES,
};

#define KNOWN 1000000u /* states */
#define STEPS 64u      /* the last ones */
#define LOOP  16u      /* steps at most */

struct known_state {
	uint64_t key;
	uint64_t tried; /* bit N: event N */
	uint32_t next;	/* event, once all were */
	uint32_t zero;
};

struct outside {
	uint32_t turn[NODES] __attribute__((aligned(64)));
	uint32_t done[NODES] __attribute__((aligned(64))); /* 1 + the last turn that is over */
	uint32_t event;
	uint32_t over;
	uint8_t state[NODES][PAGES];   /* enum cape_page_state, after the node's last turn */
	uint8_t written[NODES][PAGES]; /* since the last sync point; bits of OF_A_PAGE */
	uint32_t writer[PAGES];	       /* 1 + the node that wrote to SHARED since then */
	/* A word's last value; of those that a node may read, the oldest; what was published how.
	 */
	uint64_t now[PAGES][WORDS];
	uint64_t least[NODES][PAGES][WORDS];
	uint64_t published[PUBLISHED][PAGES][WORDS];
	uint64_t steps, states, tried;
	uint32_t seen; /* bit N: a page was in state N on some node */
	uint32_t step[STEPS];
	/* Steps that are made again and again, as programs do. */
	uint32_t loop[LOOP];
	uint32_t loop_steps, looped, rounds;
	uint64_t next_loop; /* the step */
	struct known_state known[KNOWN];
};

/* The file NAME, of zeros at first. */
struct outside *outside_map(const char *name);

/* Until WORD is not SEEN any more; it has been changed. */
void outside_await(uint32_t *word, uint32_t seen);
void outside_wake(uint32_t *word);

/* What PAGE is to this node. */
unsigned outside_state(const void *page);
const char *outside_event(uint32_t event, char *text);

#endif

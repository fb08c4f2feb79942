/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * need.h - exchange by need: what one node alone wrote much of stays there until another reads it.
 *
 * At a sync point a node claims such pages: it says so, and sends nothing of them.  The copies of
 * the others become stale, and they fetch a page from its owner at the first access.  From then on
 * they hold it with the owner, who pushes what it changes to them; now and then it claims the page
 * anew instead, to see who still reads it.  What some nodes write to, but not all, they hold
 * together, and send each other what they change byte by byte.  Pages that all nodes write to stay
 * common.
 *
 * Sequential code runs alike on all nodes.  So while it runs all pages that are not common are
 * protected everywhere, their owner's too: at the first access all nodes meet, and share the page.
 */
#ifndef CAPE_NEED_H
#define CAPE_NEED_H

#include <signal.h>
#include <sys/uio.h>
#include "base/context.h"
#include "checkpoint/exact.h"
#include "checkpoint/runs.h"
#include "checkpoint/wire.h"
#include "memory/directory.h"
#include "memory/hidden.h"
#include "message/message.h"
#include "need/divided.h"

/* Changed memory that goes to some nodes only. */
struct cape_need_piece {
	uint64_t address;
	uint64_t length;
	cape_node_set destinations;
	bool exact; /* with masks, for nodes whose base is another */
	bool sent;  /* with the exchange, before all have said what they changed */
};

/*
 * A place in the program where sync points are, as the program came to it, and what others fetched
 * of this node after them.
 */
struct cape_need_place {
	uint64_t key; /* of the place and those before it */
	bool sorted;
	struct cape_need_piece *piece; /* pages, and who read each */
	size_t pieces;
};

#define CAPE_NEED_PLACES 64u /* more of them share */
#define CAPE_NEED_PAST	 3   /* earlier places that identify a place */

/* What becomes of a page that this node changed. */
enum cape_need_fate {
	CAPE_FATE_SENT,	     /* what was changed goes to all */
	CAPE_FATE_STAYS,     /* so it does, and it is not left to those who write to it */
	CAPE_FATE_CLAIMED,   /* nothing is sent */
	CAPE_FATE_PUSHED,    /* to those who hold it */
	CAPE_FATE_OPENED,    /* to all, for all hold it, and it is common from now on */
	CAPE_FATE_JOINED,    /* another owns it: to those who hold it, with masks */
	CAPE_FATE_NONOWNER,  /* so it does, and all hold it: to all, with masks */
	CAPE_FATE_PUBLISHED, /* all of it goes to all, and it is common from now on */
};

/* A changed page. */
struct cape_need_page {
	uint64_t address;
	uint32_t bytes; /* that were changed, words as they are compared */
	enum cape_need_fate fate;
};

/* Whether the fault at ADDRESS, of a write or not, was the run time's matter: done with then. */
typedef bool (*cape_need_handler)(struct cape_runtime *runtime, uint64_t address, bool writes);

/* What the program believes of signals, which is the run time's matter. */
struct cape_need_signals {
	cape_need_handler handle;
	struct sigaction next; /* its own handler of SIGSEGV */
	bool blocked;	       /* it has blocked that */
	uint64_t masked;       /* bit N - 1: so it has for the handler of signal N */
	stack_t stack;	       /* on which its handlers run, */
	stack_t own_stack;     /* and on which they do */
};

/* What is about to be fetched, in the channel. */
struct cape_need_plan {
	unsigned owner;
	uint32_t stretches;
	uint32_t pages;
};

/* Memory that is read in some order: pieces of one owner in equal distances. */
struct cape_need_walk {
	uint64_t first;	 /* piece */
	uint64_t length; /* of each, as far as it was fetched; 0: none */
	int64_t stride;	 /* from each to the next; 0: there is one only */
	uint64_t pieces;
	uint64_t more;	 /* that were added last */
	uint64_t window; /* pages by which all became longer last, */
	bool second;	 /* the second time */
	unsigned owner;
	uint64_t used; /* when */
};

/* What goes to others and comes from them without request (flow.c). */
struct cape_need_flow {
	bool inside;  /* a sync point's messages are in the out and the in area */
	uint64_t out; /* bytes of the out area */
	struct cape_need_flow_piece {
		struct cape_range range;
		unsigned writer;
	} * piece; /* that come */
	size_t pieces, room;
	struct cape_ranges *list; /* by node, for a while */
};

#define CAPE_NEED_WALKS 16
#define CAPE_NEED_TRIES 64

struct cape_need {
	bool started;	 /* it is known whether this run exchanges by need */
	bool on;	 /* it does */
	bool closed;	 /* sequential code runs: what is not common is protected */
	bool waits;	 /* that is left open, for the program touches nothing before it says so */
	bool handles;	 /* the program handles signals, and may touch memory at any time */
	bool interrupts; /* so sequential code has said, on all nodes alike */
	bool passes;	 /* others can fetch what is protected here */
	bool threads;	 /* this node's program has made threads, which must find all memory here */
	/* Before each region is entered: may take another way of exchange; NULL: nobody does. */
	void (*prepare)(struct cape_runtime *runtime);
	bool ends;	 /* so has another's: all becomes common after the region, for good */
	bool common_due; /* others wrote to what this node owns */
	bool joined;	 /* this node wrote to what others own, and sends that to the holders */
	bool missed;	 /* an entry of the log is of a page that is not here */

	const struct cape_need_saved *saved; /* who owns what, of a run that goes on; or NULL */

	/* What the next sync point says. */
	struct cape_need_list claims;	 /* this node alone has what they are from now on */
	struct cape_need_list fetched;	 /* this node holds them, too */
	struct cape_need_list published; /* they become common, and all of them is sent */
	struct cape_need_list opened;	 /* they become common: all nodes hold them already */
	struct cape_need_list written;	 /* held by others, too, who get the changes */
	struct cape_need_list unread;	 /* they were pushed to this node, and not read */
	struct cape_need_list pushed;	 /* they are pushed whole to others, who hold them then: */
	cape_node_set *readers;		 /* of each of them */
	struct cape_runs_array {	 /* in memory of its own */
		struct cape_private_array memory;
		struct cape_runs runs;
	} changed, nonowner, part; /* by this node; of it, to what others own; for a while */
	struct cape_need_page *page;
	size_t pages;
	struct cape_need_piece *piece, *spare; /* to be pushed, by address; for sorting */
	size_t pieces;
	struct cape_node_sets *sets; /* the directory's */

	/* While a sync point is resolved and applied. */
	bool keeps;			 /* twins are kept */
	bool early;			 /* what is known before the exchange is pushed with it */
	uint64_t pieces_left;		 /* of memory that it may make: as many on all nodes */
	struct cape_range piece_made;	 /* the last one, */
	cape_node_set made_for;		 /* and its holders */
	cape_node_set pushed_to;	 /* whom pages that are looked at go to */
	struct cape_node_bits contested; /* wrote to what another did, and push it here */
	bool is_contested; /* a page was found that is claimed, and that others changed */
	/* By node, this one too, what came with it; where in the out area this node's parts end. */
	struct cape_channel_message *came_early;
	uint64_t parts_end;
	struct cape_range dropped; /* pages that become stale, */
	struct cape_range alone;   /* that this node alone has from now on, */
	struct cape_range coming;  /* and that are pushed to it */
	struct cape_range opening; /* the range of pushed pages that was opened last */
	struct cape_hidden hidden; /* by which pages are filled before a thread can see them */
	unsigned char *unused; /* pages for bytes of a page that is not here, and for its twin */

	/* Between sync points. */
	unsigned char *entries; /* of the log, of pages that are not here */
	size_t entries_size;
	/* Of the tables of pages served, those that were looked at. */
	uint32_t served, served_near;
	struct cape_need_list
		unannounced; /* bytes that were changed, and not announced, when sent; */
	struct cape_need_list announced_later; /* and for what remains of these */

	/* What was learned; places of this sync point, the last one, and that before, by number. */
	struct cape_need_place place[CAPE_NEED_PLACES];
	size_t places;
	uint8_t at, last, before;
	uint8_t count;	/* sync points so far */
	bool ended;	/* the last one was the end of the region in which the one before was */
	bool in_region; /* the last one was not a region's end */
	uint64_t path[1 + CAPE_NEED_PAST]; /* this place and those before, as numbers */
	uint64_t mislearns;		   /* in tests: the state of what is drawn by; or 0 */

	/* Loops that the compiler knows (planned/). */
	struct cape_divided_table divided;
	struct cape_need_flow flow;
	struct cape_need_list left; /* of what was fetched, for a while */
	/* Since the last sync point no node has done what others do not know; such a loop runs. */
	bool known, runs_known;
	struct cape_ranges faults; /* pages that came by faults in such a loop; */
	struct cape_range window;  /* with the last one */

	/* Faults. */
	uint64_t protections;		    /* how often protection was changed */
	uint64_t last_try[CAPE_NEED_TRIES]; /* by threads; of what, hashed (fault.c) */
	struct cape_need_signals signals;
	struct cape_need_plan plan;
	struct cape_node_bits reads; /* whose memory, the last time: bytes cost little */
	struct cape_need_walk walk[CAPE_NEED_WALKS];
	uint64_t walks;			       /* steps of all of them */
	uint64_t share_expected, share_window; /* the same of sharing: alike on all nodes */
};

/*
 * The program makes a thread, which cannot fetch: all memory comes before.  From then on, or from
 * the end of the region on, nodes exchange eagerly.
 */
void cape_need_make_thread(struct cape_runtime *runtime);

/*
 * The process is about to end, or to be another program: others may still copy what this node wrote
 * before the last sync point (divided.h).
 */
void cape_need_end(void);

/* The program has a handler of signals. */
void cape_need_note_handler(struct cape_runtime *runtime, const struct sigaction *action);

/*
 * A run goes on from where it was saved.  restore: before its memory comes, of which this node gets
 * what it is to have (memory/directory.h).  restored: memory is there; as cape_need_leave().
 */
void cape_need_restore(struct cape_runtime *runtime);
void cape_need_restored(struct cape_runtime *runtime);

/* Sequential code: makes all pages common. */
void cape_need_share_all(struct cape_runtime *runtime);

/*
 * Memory is made readable and writable, for a system call: SIZE bytes at ADDRESS, as far as they
 * are pages that are not here; a text with its end; texts up to NULL; pieces and what they name.
 * In sequential code all nodes call these alike.
 */
void cape_need_touch(const void *address, size_t size);
void cape_need_touch_text(const char *text);
void cape_need_touch_texts(char *const *texts);
void cape_need_touch_pieces(const struct iovec *piece, int count);

/*
 * SIGSEGV stays open while it is the run time's.  mask: what of SET the kernel is to get, as HOW of
 * sigprocmask() says; believed_mask: what the program is to see of MASK; open_set: SET for a call
 * that waits with it.  action, stack: as sigaction(), sigaltstack().
 */
uint64_t cape_need_mask(struct cape_runtime *runtime, int how, uint64_t set);
uint64_t cape_need_believed_mask(const struct cape_runtime *runtime, uint64_t mask);
sigset_t cape_need_open_set(const struct cape_runtime *runtime, const sigset_t *set);
int cape_need_action(struct cape_runtime *runtime, int number, const struct sigaction *action,
		     struct sigaction *old);
int cape_need_stack(struct cape_runtime *runtime, const stack_t *stack, stack_t *old);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * divided.h - pages whose bytes were written last by several nodes, each of which has only its own,
 * and pages of others of which this node has a copy that nobody knows of.
 *
 * A page is divided into parts, each with the node that wrote it last.  What is written is known to
 * all nodes before (planned/), so the writers are the same everywhere; which parts a node has here
 * is its own matter.  In the directory the page belongs to one node alone, which need not have all
 * of it: no program may access it, except in loops that the compiler knows in full, before the
 * parts are with that node.
 */
#ifndef CAPE_NEED_DIVIDED_H
#define CAPE_NEED_DIVIDED_H

#include "base/context.h"
#include "base/ranges.h"
#include "channel/range.h"
#include "memory/area.h"
#include "memory/directory.h"

#define CAPE_DIVIDED_INSIDE 4 /* parts that need no memory of their own */

#define CAPE_DIVIDED_NODES 64u /* at most */

/* From the end of the part before. */
struct cape_divided_part {
	uint16_t end; /* in the page */
	uint16_t writer;
	uint32_t unused; /* 0: parts are compared as bytes */
	/*
	 * Bit N: node N has it.  Of others than this node that is known where each node knows what
	 * all read, and of those only to the writer.
	 */
	uint64_t here;
};

struct cape_divided {
	uint64_t address; /* of the page; 0: this entry of the table is free */
	struct cape_divided_part *part, inside[CAPE_DIVIDED_INSIDE];
	uint16_t parts, room;
	bool noted; /* it has changed since cape_divided_record() */
};

/* Stretches of pages. */
struct cape_need_list {
	struct cape_range *range;
	size_t count;
};

/* What was read of NODE's memory, or sent to it, or came of it. */
struct cape_divided_transfer {
	struct cape_range range;
	uint64_t node;
};

/* What happens to divided pages is noted (repeat.c). */
struct cape_divided_recording {
	bool on;
	bool other; /* pages were opened, or there was a second flow */
	bool flows; /* nodes have sent each other parts */
	struct cape_divided_transfer *transfer;
	size_t transfers, transfer_room;
	size_t sent;	/* of these, the first ones */
	uint64_t *page; /* whose parts have changed, or what says that they are open */
	size_t pages, page_room;
	uint64_t state, here, open; /* by how much that changed the directory's numbers; */
	struct cape_directory before;
	bool opens;	 /* table->opened has more pages; */
	uint64_t opened; /* its number, and */
	size_t listed;	 /* pages that were to be dropped, before */
	char *bytes;	 /* the note, for a while */
	size_t bytes_room;
};

#define CAPE_DIVIDED_COPIES 64u

/* What has come to nodes that did not write it, as far as the part of a page; more than that. */
struct cape_divided_copies {
	struct cape_range range[CAPE_DIVIDED_COPIES];
	size_t count; /* if it is more than these, not all are there */
};

/* Those of a node. */
struct cape_divided_table {
	struct cape_divided *entry;
	size_t count, room;		    /* ROOM is 0 or a power of 2 */
	struct cape_divided_part *free[13]; /* memory for 2 to the power of the index parts */
	char *memory, *memory_end;
	/* What the program can access although it is protected otherwise, in order, with gaps. */
	struct cape_ranges opened;
	uint64_t opened_number; /* of them, unless they have changed since */
	bool opened_changed;
	struct cape_ranges before; /* the same before sequential code, which closes all */
	bool exact;		   /* nothing is opened that lies between two of what is needed */
	bool sends;		   /* writers send what others read: all nodes know it (flow.c) */
	struct cape_divided_reading *reading; /* gather.c */
	struct cape_ranges home; /* divided pages that this node owns, when they become whole */
	/*
	 * Pages that others have written, which go when nobody reads them here any more; those that
	 * this node has alone, which need no base.
	 */
	struct cape_need_list dropped, alone;
	struct cape_divided_recording recording;
	struct cape_divided_copies copies; /* since who uses these has emptied the list */
};

/* The entry of PAGE, at ADDRESS, or NULL. */
struct cape_divided *cape_divided_find(const struct cape_runtime *runtime,
				       const struct cape_directory_page *page, uint64_t address);

/* The same; makes one for a page of AREA that is not common. */
struct cape_divided *cape_divided_get(struct cape_runtime *runtime, struct cape_area *area,
				      uint64_t address);

/* No part of ENTRY has bytes both of START .. END - 1, addresses, and of others. */
void cape_divided_cut(struct cape_runtime *runtime, struct cape_divided *entry, uint64_t start,
		      uint64_t end);

static inline uint64_t cape_divided_bit(unsigned node)
{
	return 1ull << node;
}

/* NODES, as bits, have part INDEX of ENTRY, too, from now on. */
void cape_divided_add_here(struct cape_runtime *runtime, struct cape_divided *entry, unsigned index,
			   uint64_t nodes);

/* Parts of ENTRY that are alike become one; join_at: part INDEX and those beside it, returns which.
 */
void cape_divided_join(struct cape_divided *entry);
unsigned cape_divided_join_at(struct cape_divided *entry, unsigned index);

/* Whether several nodes have written some page: the same on all nodes, as entries are not. */
bool cape_divided_is_any(const struct cape_runtime *runtime);

/* The page is no longer divided, or the copy no longer valid. */
void cape_divided_forget(struct cape_runtime *runtime, uint64_t address);
void cape_divided_forget_all(struct cape_runtime *runtime);

/*
 * opened.c: whether the program can access the page at ADDRESS of AREA, whoever has it; whether
 * that is so although the directory does not say it, of a page and of all in RANGE.
 */
bool cape_divided_is_open(const struct cape_runtime *runtime, const struct cape_area *area,
			  uint64_t address);
bool cape_divided_is_opened(const struct cape_runtime *runtime, uint64_t address);
bool cape_divided_are_opened(const struct cape_runtime *runtime, struct cape_range range);

/* What all pages are to this node, as a number (system/number.h); what is open only so. */
uint64_t cape_divided_state(struct cape_runtime *runtime);
uint64_t cape_divided_opened_number(struct cape_runtime *runtime);

/*
 * The page at ADDRESS of AREA has these parts, none: it is not divided; the directory's numbers
 * stay.  set_open: it is as open as it was; the directory says so, or the list of what is opened.
 */
void cape_divided_set_parts(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
			    const struct cape_divided_part *part, unsigned parts);
void cape_divided_set_open(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
			   bool open, bool opened);

/* NODE has written the bytes of RANGE, of one area: all nodes say so, of all nodes. */
void cape_divided_write(struct cape_runtime *runtime, unsigned node, struct cape_range range);

/* All nodes have come to the sync point after that: pages that others own now can go. */
void cape_divided_drop(struct cape_runtime *runtime);

/* The program can access what COUNT ranges have, in their order, and pages between them. */
void cape_divided_open(struct cape_runtime *runtime, const struct cape_range *range, size_t count);

/* From now on no more is opened than is needed. */
void cape_divided_be_exact(struct cape_runtime *runtime);

/* What is open comes here: what the program reads then is right, or protected. */
void cape_divided_refresh(struct cape_runtime *runtime);

/*
 * The program can access nothing any more that is not common; reopen: it can, as before that.
 * close_now: what was opened in between is not noted for that.
 */
void cape_divided_close(struct cape_runtime *runtime);
void cape_divided_close_now(struct cape_runtime *runtime);
void cape_divided_reopen(struct cape_runtime *runtime);

/* -- bring.c: all nodes call these alike, and what comes can be accessed then ------------------ */

/*
 * What is to be read, or written without having it: READS by node, only this one's where nodes read
 * each other's memory.  to_all: COUNT ranges, in their order, each of one area, by each node.
 * alone: RANGE, and nothing around it, which this node may have written meanwhile.
 */
void cape_divided_bring(struct cape_runtime *runtime, const struct cape_ranges *reads);
void cape_divided_bring_to_all(struct cape_runtime *runtime, const struct cape_range *range,
			       size_t count);
void cape_divided_bring_alone(struct cape_runtime *runtime, struct cape_range range);

/* A cape_directory_visit: each page is to be owned by the node that wrote most of it (owners.c). */
int cape_divided_choose_owners(void *context, struct cape_area *area, struct cape_range pages);

/* None writes meanwhile: each page is with the node that owns it, and there are no copies. */
void cape_divided_settle(struct cape_runtime *runtime);

/* The same of PAGES in AREA alone, while none is open: sequential code comes to them. */
void cape_divided_settle_pages(struct cape_runtime *runtime, struct cape_area *area,
			       struct cape_range pages);

/* -- repeat.c: what was done once is done again where the state is the same ---------------------
 */

/*
 * From now on what changes is noted.  recorded: no longer; returns that, of *SIZE bytes, until it
 * is recorded again, or NULL: it cannot be repeated.
 */
struct cape_divided_note;
void cape_divided_record(struct cape_runtime *runtime);
const struct cape_divided_note *cape_divided_recorded(struct cape_runtime *runtime, uint64_t *size);
void cape_divided_repeat(struct cape_runtime *runtime, const struct cape_divided_note *note);

/*
 * noted.c, while that is so: parts of ENTRY change; what says whether the page at ADDRESS is open
 * does, and the directory's number by CHANGE; RANGE was read in the memory of NODE.
 */
void cape_divided_note_change(struct cape_runtime *runtime, struct cape_divided *entry);
void cape_divided_note_open(struct cape_runtime *runtime, uint64_t address, uint64_t change);
void cape_divided_note_transfer(struct cape_runtime *runtime, unsigned node,
				struct cape_range range);
/* The same of what nodes send each other: first all that goes to other nodes, as OUT says. */
void cape_divided_note_flow(struct cape_runtime *runtime, unsigned node, struct cape_range range,
			    bool out);

/* -- gather.c: this node reads from the memory of others ----------------------------------------
 */

/* What COUNT ranges have; home: divided pages that this node owns. */
void cape_divided_copy(struct cape_runtime *runtime, const struct cape_range *range, size_t count);
void cape_divided_copy_alone(struct cape_runtime *runtime, struct cape_range range);
void cape_divided_copy_home(struct cape_runtime *runtime);
void cape_divided_copy_home_of(struct cape_runtime *runtime, struct cape_area *area,
			       struct cape_range pages);

/* COUNT pieces as they were read before, with what a map says of them. */
void cape_divided_read(struct cape_runtime *runtime, const struct cape_divided_transfer *transfer,
		       size_t count);

/* -- flow.c: those who wrote it send it ---------------------------------------------------------
 */

/*
 * Each node gets what it is to read, READS by node, the same lists on all nodes as far as they have
 * pages that are not common.  Who sends nothing and gets nothing waits for nobody.  to_all: all of
 * them COUNT ranges; home: divided pages, which come to their owners.
 */
void cape_divided_flow(struct cape_runtime *runtime, const struct cape_ranges *reads);
/* COUNT pieces as they went and came before, the first SENT to others; all are open. */
void cape_divided_flow_again(struct cape_runtime *runtime,
			     const struct cape_divided_transfer *transfer, size_t sent,
			     size_t count);
void cape_divided_flow_to_all(struct cape_runtime *runtime, const struct cape_range *range,
			      size_t count);
void cape_divided_flow_home(struct cape_runtime *runtime);
void cape_divided_flow_home_of(struct cape_runtime *runtime, struct cape_area *area,
			       struct cape_range pages);

#endif

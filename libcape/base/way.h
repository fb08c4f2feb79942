/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * way.h - a way of exchange: which of a node's changes go to which nodes, and when.  One object for
 * each, in a room of its name; nobody else asks which it is, or whether pages can be absent.
 */
#ifndef CAPE_WAY_H
#define CAPE_WAY_H

#include <stdbool.h>
#include <stdint.h>

struct cape_area;
struct cape_cursor;
struct cape_exact_run;
struct cape_message_writer;
struct cape_place;
struct cape_range;
struct cape_ranges;
struct cape_runs;
struct cape_runtime;

typedef bool cape_page_test(struct cape_runtime *runtime, uint64_t page);

struct cape_exchange_way {
	/*
	 * A region begins; it has ended.  UNTOUCHED: the program touches no shared memory before
	 * touched(), or before the next region begins; waits: that is so just now.  touched_read:
	 * it does so, but for *RANGE, which it reads next.  share_all: in sequential code, all of
	 * memory comes to all nodes.
	 */
	void (*enter)(struct cape_runtime *runtime);
	void (*leave)(struct cape_runtime *runtime, bool untouched);
	void (*touched)(struct cape_runtime *runtime);
	void (*touched_read)(struct cape_runtime *runtime, const struct cape_range *range);
	bool (*waits)(const struct cape_runtime *runtime);
	void (*share_all)(struct cape_runtime *runtime);

	/*
	 * After enter(): memory is the base of the region that begins.  Whether that has been
	 * noted; else the method does so.  May be NULL.
	 */
	bool (*fold)(struct cape_runtime *runtime);

	/*
	 * Whether the nodes need not meet at a sync point to which each of them comes with nothing
	 * but memory that it has changed: then all that is to be done has been done.  END: it is
	 * that of the region there, after which the program touches no shared memory, as for
	 * leave(); NULL: it is a barrier.  May be NULL.
	 */
	bool (*skip)(struct cape_runtime *runtime, const struct cape_place *end);

	/* What the program has said of what comes after the next sync point does not hold. */
	void (*forget_said)(struct cape_runtime *runtime);

	/*
	 * A sync point calls these in this order.  look: before this node's changes are looked for,
	 * all of them if READABLE is NULL, or those of these ranges.
	 * list: RUNS is what it has changed; what does not go to all is taken out, at PLACE.
	 * list_all: instead all of it goes to all, for the log was used, but for pages that are
	 * claimed, of which IS_ALONE says that no other node has written to them; it may be NULL.
	 * is_contested: one did, as the messages say: they are written again.  put_changes, put:
	 * sections of this node's message, which is complete then.  send_parts: what goes with it
	 * to some nodes only; take_parts: so did others, whose messages are here, too.  resolve:
	 * what all messages say together.  merge: what is not in runs, after these.  apply: all is
	 * merged into memory; KEEP as for cape_area_settled().  settle: reductions are folded, too.
	 */
	void (*look)(struct cape_runtime *runtime, const struct cape_ranges *readable);
	void (*list)(struct cape_runtime *runtime, struct cape_runs *runs,
		     const struct cape_place *place);
	void (*list_all)(struct cape_runtime *runtime, struct cape_runs *runs,
			 cape_page_test *is_alone);
	bool (*is_contested)(struct cape_runtime *runtime);
	void (*put_changes)(struct cape_runtime *runtime, struct cape_message_writer *writer);
	void (*put)(struct cape_runtime *runtime, struct cape_message_writer *writer);
	void (*send_parts)(struct cape_runtime *runtime);
	void (*take_parts)(struct cape_runtime *runtime);
	void (*resolve)(struct cape_runtime *runtime);
	void (*merge)(struct cape_runtime *runtime);
	void (*apply)(struct cape_runtime *runtime, bool keep);
	void (*settle)(struct cape_runtime *runtime);

	/*
	 * The runs that NODE, which may be this one, sent to this one alone, EARLY: with the
	 * messages, else after them; false: none.  Ends the run if malformed.
	 */
	bool (*open_part)(struct cape_runtime *runtime, unsigned node, bool early,
			  struct cape_cursor *cursor);

	/*
	 * Whether COUNT values of SIZE bytes at ADDRESS in AREA are to be folded only when the sync
	 * point is over.  BY_PROGRAM: by a function of the program's.  Between begin_alike() and
	 * end_alike() all nodes do the same, as in sequential code.
	 */
	bool (*postpones)(const struct cape_area *area, uint64_t address, uint64_t size,
			  uint64_t count, bool by_program);
	void (*begin_alike)(struct cape_runtime *runtime);
	void (*end_alike)(struct cape_runtime *runtime);

	/*
	 * The log, between sync points.  part: how many of LENGTH bytes at ADDRESS one run of an
	 * entry may have.  look_at: before an entry of these bytes alone is made; false: it must be
	 * of all memory.  before_taking, after_taking: entries of others are.  reach: where bytes
	 * of an entry's RUN in AREA go; 1: to *MEMORY, by far not to be used; 0: to memory itself;
	 * -EBADMSG.  yields: others may have seen what this node has changed at ADDRESS and not
	 * published; what they make of it comes after.  took: the entry of SIZE BYTES is in memory,
	 * as far as that is here.
	 */
	uint64_t (*part)(uint64_t address, uint64_t length);
	bool (*look_at)(struct cape_runtime *runtime, uint64_t address, uint64_t length);
	void (*before_taking)(struct cape_runtime *runtime);
	void (*after_taking)(struct cape_runtime *runtime);
	int (*reach)(struct cape_runtime *runtime, const struct cape_area *area,
		     const struct cape_exact_run *run, unsigned char **memory,
		     unsigned char **twin);
	bool (*yields)(struct cape_runtime *runtime, const struct cape_area *area,
		       uint64_t address);
	void (*took)(struct cape_runtime *runtime, const unsigned char *bytes, uint64_t size);

	/* For --profile, after a sync point: this node sent RUNS to OTHERS nodes, or to some. */
	void (*note_sent)(struct cape_runtime *runtime, const struct cape_runs *runs,
			  unsigned others);
	/* For --verify: the page at ADDRESS came since the last sync point; others do not know. */
	bool (*is_new)(const struct cape_runtime *runtime, uint64_t address);
};

extern const struct cape_exchange_way cape_way_eager, cape_way_need;

/* Which way the run takes, before its first region, or before memory of a saved run comes. */
void cape_way_choose(struct cape_runtime *runtime);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cape_plan.h - what a loop reads and writes, described before it runs: planned exchange.
 *
 * cape-cc puts this before a loop of which all is known:
 *
 *	if (cape_plan_begin()) {
 *		cape_plan_need(...);		for what decides on the sets
 *		if (!cape_plan_again(...))
 *			while (cape_plan_part(&left, &right, &stride))
 *				cape_plan_box(...);	for each access of these iterations
 *		cape_plan_ready();
 *	}
 *
 * Each node tells the sets of all nodes, and gets what it will read.  Programs that run otherwise
 * than on several nodes of one thread each go on as if nothing were known.
 */
#ifndef CAPE_PLAN_H
#define CAPE_PLAN_H

#include "cape.h"

enum cape_set {
	CAPE_SET_READ,
	CAPE_SET_WRITE,	    /* all of it is written */
	CAPE_SET_FILL,	    /* the same, by a function of the C library */
	CAPE_SET_MAY_WRITE, /* some of it may be written */
	CAPE_SET_INDEX,	    /* read to find out what else is read or written: not written here */
};

#define cape_plan_begin() cape_plan_begin_at(CAPE_HERE)
int cape_plan_begin_at(const struct cape_place *place);

/*
 * The same where sequential code may meet the loop, too: then all nodes share it out, if none of
 * them accesses what another one writes, and it needs much that is not on all.  The loop runs in a
 * block, as that of a region, and its end is said before cape_end().
 */
#define cape_plan_begin_spread() cape_plan_begin_spread_at(__builtin_dwarf_cfa(), CAPE_HERE)
int cape_plan_begin_spread_at(const void *frame, const struct cape_place *place);
void cape_plan_end_spread(void);

/* SIZE bytes at ADDRESS are read while the sets are described: they have to be here. */
void cape_plan_need(unsigned long address, unsigned long size);

/*
 * The pointer at ADDRESS, which is OBJECT, is read while the sets are described, to find out where
 * an access is.  _at: where it can be read.  That is elsewhere, with NULL, if it cannot come, or
 * there is none.
 */
#define cape_plan_row(object, address)                                                             \
	(*(__typeof__(object) *)cape_plan_row_of((unsigned long)(address), sizeof(object)))
unsigned long cape_plan_row_at(unsigned long address, unsigned long size);

/*
 * Words that a node has noted of late while it went through lists, by their numbers: 1 and the
 * number, or 0.  In private memory of the node.
 */
#define CAPE_PLAN_LATEST 64
extern const unsigned long *cape_plan_latest;

static __inline__ __attribute__((unused)) unsigned long cape_plan_row_of(unsigned long address,
									 unsigned long size)
{
	unsigned long number = address / 8 + 1;

	if (cape_plan_latest[number % CAPE_PLAN_LATEST] == number && address % 8 + size <= 8)
		return address;
	return cape_plan_row_at(address, size);
}

/*
 * Whether the sets are those of a time before: then they are not described again.  COUNT values
 * follow, of type unsigned long, which all that decides on the sets is, with the loop's iterations
 * and what cape_plan_need() and cape_plan_row() said.  Not called where something else decides.
 */
int cape_plan_again(unsigned long count, ...);

/* For one of these: a number that is another one for each other VALUE. */
static __attribute__((unused)) unsigned long cape_plan_real(double value)
{
	unsigned long number;

	__builtin_memcpy(&number, &value, sizeof(number));
	return number;
}

/*
 * 1 and the next iterations *LEFT .. *RIGHT - 1 of some node; 0: there are no more.  *STRIDE: every
 * so manieth of these, the last one with them; if STRIDE is 0, each.
 */
int cape_plan_part(unsigned long *left, unsigned long *right, unsigned long *stride);

/* Accesses are described round by round: whether that goes on, and is not too much. */
int cape_plan_round(void);

/*
 * SIZE bytes at AT, in each round of DIMENSIONS loops around; for each of these three unsigned long
 * follow, the outermost first: its rounds (at least 1), and the address in its second and in its
 * last round while the other loops are in their first.
 *
 * LOOPS has the numbers of these loops, a byte for each, the outermost lowest; as long as accesses
 * are in the same round of the same loops they come in ORDER.  0: that is not known.
 */
void cape_plan_box(enum cape_set set, unsigned long at, unsigned long size, unsigned long order,
		   unsigned long loops, unsigned long dimensions, ...);

/*
 * After that, where all nodes have to know what each of them reads, and some of that is found by
 * lists in memory: whether the caller describes that, too, of the node's own iterations alone.
 * Then cape_plan_row() comes where memory is looked at, and cape_plan_listed() last.  Else what
 * follows is said to be read: BYTES, or any memory if that is 0.
 */
int cape_plan_lists(unsigned long bytes);
void cape_plan_listed(void);

/* Something of the SIZE bytes at ADDRESS is read by this node, or of any memory if that is 0. */
void cape_plan_reads(unsigned long address, unsigned long size);

void cape_plan_ready(void); /* all has been described */

/*
 * Before a sync point: between that and the next one, which is that of a loop described before, or
 * the end of the region, no thread accesses shared memory.  cape_plan_region(): before a region, of
 * what comes between its begin and its first sync point.
 */
void cape_plan_quiet(void);
void cape_plan_region(void);

/* After one of these: but for SIZE bytes at ADDRESS, which may be read. */
void cape_plan_pass(unsigned long address, unsigned long size);
/* After cape_plan_quiet(): but for these, which may be changed, if the end of the region or a
 * barrier comes next. */
void cape_plan_change(unsigned long address, unsigned long size);
void cape_plan_print(void); /* the same of the standard output, to which threads may print */

/*
 * Before a loop that all threads run between two sync points, and in which they hand data on to
 * each other by flushes; beside it there is nothing between these two that accesses shared memory:
 *
 *	if (cape_pipeline_begin()) {
 *		int thread;
 *
 *		while ((thread = cape_pipeline_thread()) >= 0)
 *			cape_plan_box(...);	for each access of this thread
 *		cape_pipeline_ready(loop, locks);
 *	}
 *
 * Then a node publishes of what it changes what others read.  own: the caller's number.  share: of
 * a loop with COUNT iterations that is shared out in there, those of the thread.  LOOP: the loop's
 * byte in LOOPS of cape_plan_box(); then cape_pipeline_round() comes in each of its rounds first.
 * 0: it does not.  LOCKS: threads may come to critical constructs in there.
 */
int cape_pipeline_begin(void);
int cape_pipeline_thread(void);
int cape_pipeline_own(void);
void cape_pipeline_share(int thread, unsigned long count, int from_end, unsigned long *left,
			 unsigned long *right);
void cape_pipeline_ready(unsigned long loop, int locks);
void cape_pipeline_round(void);

/* Before a sync point: that of a reduction of the variable of SIZE bytes at ADDRESS. */
void cape_plan_reduced(unsigned long address, unsigned long size);

#endif

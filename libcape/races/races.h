/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * races.h - cape-run --races: bytes that two nodes changed, with nothing that orders the two.
 *
 * The functions end the run at the first one they find.  Under cape-cc --check-races those of
 * the log keep it for the monitor, and the run goes on.  Otherwise they do nothing.
 */
#ifndef CAPE_RACES_H
#define CAPE_RACES_H

#include <stdbool.h>
#include <stdint.h>

struct cape_runtime;

/* One side of a race: LENGTH bytes at ADDRESS, as the node that changed some of them has them. */
struct cape_race_side {
	unsigned node;
	uint64_t address, length;
	const unsigned char *data;
};

/* Whether these do anything. */
bool cape_races_are_looked_for(const struct cape_runtime *runtime);

/* Ends the run: both have changed the byte at ADDRESS. */
void cape_races_report(struct cape_runtime *runtime, uint64_t address, struct cape_race_side a,
		       struct cape_race_side b) __attribute__((noreturn));

/*
 * A checkpoint of NODE, that this one has not seen, is about to be taken: against what this node
 * has changed and not published.
 */
void cape_races_with_own(struct cape_runtime *runtime, const unsigned char *bytes, uint64_t size,
			 unsigned node);

/* Two exact checkpoints (checkpoint/exact.h) that nothing orders. */
void cape_races_between(struct cape_runtime *runtime, const unsigned char *a_bytes, uint64_t a_size,
			unsigned a_node, const unsigned char *b_bytes, uint64_t b_size,
			unsigned b_node);

#endif

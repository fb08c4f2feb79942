/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mischief.h - what a network may do to messages, and a quiet machine hardly ever does, by a seed.
 */
#ifndef CAPE_MISCHIEF_H
#define CAPE_MISCHIEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one way between two nodes.  All zero: none is done. */
struct mischief {
	uint64_t state; /* of random numbers */
	unsigned pace;	/* how slow the way is beside others; 0: as fast as can be */
};

/* What SEED, which is not 0, does to what comes to node OWN from node OTHER. */
struct mischief mischief_start(uint64_t seed, int own, int other);

/* Whether nodes are to do as if each were on a machine of its own. */
bool mischief_parts(uint64_t seed);

/* Nanoseconds from when a message is here to when it can be seen. */
uint64_t mischief_delay(struct mischief *mischief);

/* Nanoseconds in which nothing goes and comes; mostly 0. */
uint64_t mischief_stall(struct mischief *mischief);

/* How many of SIZE bytes, which are some, go or come at a time. */
size_t mischief_piece(struct mischief *mischief, size_t size);

#endif

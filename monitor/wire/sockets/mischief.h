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

/* What connects two nodes. */
enum mischief_line {
	MISCHIEF_WIRE,
	MISCHIEF_SERVICE,
	MISCHIEF_FETCH,
	MISCHIEF_PEERS,
	MISCHIEF_LINES,
};

/* Which line is cut, as seen by one of its nodes, and how. */
struct mischief_cut {
	int node, other;
	enum mischief_line line;
	enum mischief_how {
		MISCHIEF_CLOSED, /* both ways, at once */
		MISCHIEF_HALF,	 /* from NODE nothing goes any more, and OTHER learns so */
		MISCHIEF_SILENT, /* nothing goes and comes, and nobody learns so */
		MISCHIEF_HOWS,
	} how;
	/* When both have been reached. */
	uint64_t bytes; /* that have gone and come */
	uint64_t time;	/* nanoseconds since the line is there */
};

/*
 * What SEED, which is not 0, does to what comes to node OWN from node OTHER; WAY tells those of two
 * nodes from each other.
 */
struct mischief mischief_start(uint64_t seed, int own, int other, int way);

/* Whether nodes are to do as if each were on a machine of its own. */
bool mischief_parts(uint64_t seed);

/* The one cut in a run of SIZE nodes, which are two or more. */
struct mischief_cut mischief_cut(uint64_t seed, int size);

/* Nanoseconds from when something is here to when it can be seen. */
uint64_t mischief_delay(struct mischief *mischief);

/* Nanoseconds in which nothing goes and comes; mostly 0. */
uint64_t mischief_stall(struct mischief *mischief);

/* How many of SIZE bytes, which are some, go or come at a time. */
size_t mischief_piece(struct mischief *mischief, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline.h - what all threads of a region run between two sync points, and in which they
 * hand data on to each other by flushes or locks.
 */
#ifndef CAPE_TRANSLATOR_PIPELINE_H
#define CAPE_TRANSLATOR_PIPELINE_H

#include "sets.h"

struct unit;

struct pipeline {
	unsigned int offset;		   /* of the statement */
	const struct directive *directive; /* the region, or in a function the first loop */
	/* Where a round begins, in braces, and its iterator; 0: rounds are not counted. */
	unsigned int round, loop;
	unsigned int end; /* of the loop, if it has braces; else 0 */
	/* From a statement on, or its pragma, before which its sets are described. */
	struct range range;
	struct syntax *const *parts; /* COUNT of them, which may be NULL */
	unsigned int count;
	struct sets sets; /* of one thread, by its number */
};

/* Finds those of which all is known: unit->pipelines; after sets_find(). */
void pipelines_find(struct unit *unit);
/* The one that OFFSET is in, or NULL. */
const struct pipeline *pipeline_at(const struct unit *unit, unsigned int offset);
void pipelines_free(struct unit *unit);

#endif

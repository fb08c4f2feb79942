/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * area.h - what is shared memory, and its twin.
 *
 * An area is a stretch of address space with its twin: what the bytes were, on every node alike,
 * at the last sync point.  The twin is persistent.  A page whose twin was never written stands
 * for zeros; a page that a sync point changed may stay behind until the next region needs it.
 */
#ifndef CAPE_AREA_H
#define CAPE_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "checkpoint/runs.h"
#include "base/private.h"

struct cape_channel;

#define CAPE_PAGE 4096ul

enum cape_area_kind {
	CAPE_AREA_STATIC,   /* .data and .bss of the program or of a library of its */
	CAPE_AREA_HEAP,	    /* the arenas; the parts in use are asked of the heap */
	CAPE_AREA_STACK,    /* frames of callers and registered variables */
	CAPE_AREA_DECLARED, /* cape_declare() */
	CAPE_AREA_MAPPED,   /* what the program maps itself (mapping.h) */
	CAPE_AREA_MASTER,   /* the C library's own: the master's is everybody's after a region */
};

struct cape_area {
	enum cape_area_kind kind;
	uint64_t start;
	uint64_t end;
	unsigned char *twin;  /* of the page that holds START */
	unsigned char *state; /* one for each page; NULL: the twin is always whole */
	const char *name;
	struct cape_channel *captured; /* where the monitor captures pages instead, or NULL */
};

/* A stretch of addresses. */
struct cape_range {
	uint64_t start;
	uint64_t end;
};

#define CAPE_AREAS_LIMIT 256

struct cape_areas {
	struct cape_private *private;
	struct cape_area area[CAPE_AREAS_LIMIT]; /* in the order of addresses */
	size_t count;
	int pagemap;		       /* descriptor of /proc/self/pagemap, or -1 */
	struct cape_channel *captured; /* where the monitor captures pages, or NULL */
};

/* CAPTURED: the channel if the monitor captures pages (memory/captured.h), so that areas need no
 * twins; else NULL. */
int cape_areas_start(struct cape_areas *areas, struct cape_private *private,
		     struct cape_channel *captured);

/*
 * Adds [START, END).  The pages up to INITIALISED begin with contents that no twin has yet, the
 * others as zeros.  0, -ENOMEM, or -EEXIST when it overlaps another area.
 */
int cape_areas_add(struct cape_areas *areas, enum cape_area_kind kind, uint64_t start, uint64_t end,
		   uint64_t initialised, const char *name);
void cape_areas_remove(struct cape_areas *areas, uint64_t start);

/* The area that holds all of [ADDRESS, ADDRESS + LENGTH), or NULL. */
struct cape_area *cape_areas_find(struct cape_areas *areas, uint64_t address, uint64_t length);

/* Makes the twin of RANGE what memory is: sequential code changed it, on every node alike. */
void cape_area_fold(struct cape_areas *areas, struct cape_area *area, struct cape_range range);

/* Appends what differs between memory and the twin in RANGE.  0 or -ENOMEM. */
int cape_area_diff(struct cape_areas *areas, struct cape_area *area, struct cape_range range,
		   struct cape_runs *runs);

/*
 * Memory at [ADDRESS, ADDRESS + LENGTH) is what every node has now.  KEEP: compare with it from
 * here on (a sync point inside a region); otherwise the twin may wait for the next fold.
 */
void cape_area_settled(struct cape_area *area, uint64_t address, uint64_t length, bool keep);

/*
 * The twin of [ADDRESS, ADDRESS + LENGTH), made whole, to be read and written: what is written
 * to it is the base from then on.
 */
unsigned char *cape_area_twin(struct cape_area *area, uint64_t address, uint64_t length);

/* The twin's byte at ADDRESS. */
unsigned char cape_area_base(const struct cape_area *area, uint64_t address);

/*
 * Where what ADDRESS was at the last sync point is, or NULL: zeros.  *KNOWN: up to where that
 * holds, at most END.
 */
const unsigned char *cape_area_base_at(const struct cape_area *area, uint64_t address, uint64_t end,
				       uint64_t *known);

/* Forgets the twin of RANGE: its pages are zeros again, and untouched. */
void cape_area_forget(struct cape_area *area, struct cape_range range);

/* Puts back what the twin holds of RANGE. */
void cape_area_restore(struct cape_area *area, struct cape_range range);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * area.h - what is shared memory, and its base: what the bytes were, on every node alike, at the
 * last sync point.
 *
 * An area is a stretch of address space.  Where its base is kept varies (struct cape_base): in a
 * twin of the run time's own, or by the monitor, which captures pages.
 */
#ifndef CAPE_AREA_H
#define CAPE_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "channel/range.h"
#include "checkpoint/runs.h"
#include "base/private.h"

#define CAPE_PAGE 4096ul

/* Where the page begins that holds ADDRESS. */
static inline uint64_t cape_page_floor(uint64_t address)
{
	return address & -CAPE_PAGE;
}

/* The first page that begins at ADDRESS or after it. */
static inline uint64_t cape_page_ceiling(uint64_t address)
{
	return cape_page_floor(address + CAPE_PAGE - 1);
}

/* Where the page ends that holds ADDRESS, or END if that comes before. */
static inline uint64_t cape_page_end(uint64_t address, uint64_t end)
{
	uint64_t next = cape_page_floor(address) + CAPE_PAGE;

	return next < end ? next : end;
}

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
	const char *name;
	const struct cape_base *base;
	/* Those of cape_base_twin. */
	unsigned char *twin;  /* of the page that holds START */
	unsigned char *state; /* one for each page; NULL: the twin is always whole */
	struct cape_directory_area *directory; /* (directory.h); NULL: all nodes hold all of it */
	bool of_library;		       /* the C library's */
};

#define CAPE_AREAS_LIMIT 256

struct cape_areas {
	struct cape_private *private;
	const struct cape_base *base; /* of all areas but CAPE_AREA_MASTER, which have twins */
	struct cape_area area[CAPE_AREAS_LIMIT]; /* in the order of addresses */
	size_t count;
	int pagemap;	   /* descriptor of /proc/self/pagemap, or -1 */
	uint64_t compared; /* bytes, with the twin */
};

/* Where bases are kept.  The functions that call them, below, describe what they do. */
struct cape_base {
	bool private_only; /* memory that is mapped MAP_SHARED has none */
	int (*diff)(struct cape_areas *areas, struct cape_area *area, struct cape_range range,
		    struct cape_runs *runs);
	/* AREA may be NULL: ADDRESS is of no area. */
	const unsigned char *(*at)(const struct cape_area *area, uint64_t address, uint64_t end,
				   uint64_t *known);
	/* Below may be NULL: nothing to do. */
	/* An area was added.  0 or -ENOMEM. */
	int (*add)(struct cape_private *private, struct cape_area *area, uint64_t initialised);
	void (*settle)(struct cape_area *area, uint64_t address, uint64_t length, bool keep);
	unsigned char *(*twin)(struct cape_area *area, uint64_t address, uint64_t length);
	void (*forget)(struct cape_area *area, struct cape_range range);
	void (*leave)(struct cape_area *area, struct cape_range range);
};

/* Nothing is shared yet; areas will have the base BASE. */
void cape_areas_start(struct cape_areas *areas, struct cape_private *private,
		      const struct cape_base *base);

/*
 * Adds [START, END).  The pages up to INITIALISED begin with contents that no twin has yet, the
 * others as zeros.  0, -ENOMEM, or -EEXIST when it overlaps another area.
 */
int cape_areas_add(struct cape_areas *areas, enum cape_area_kind kind, uint64_t start, uint64_t end,
		   uint64_t initialised, const char *name);
void cape_areas_remove(struct cape_areas *areas, uint64_t start);

/* The area that holds all of [ADDRESS, ADDRESS + LENGTH), or NULL. */
struct cape_area *cape_areas_find(struct cape_areas *areas, uint64_t address, uint64_t length);

/* The part of RANGE up to where *AREA ends, in which it begins; all of RANGE if that is none, NULL.
 */
struct cape_range cape_areas_part(struct cape_areas *areas, struct cape_range range,
				  struct cape_area **area);

/* Appends what differs between memory and its base in RANGE.  0 or -ENOMEM. */
static inline int cape_area_diff(struct cape_areas *areas, struct cape_area *area,
				 struct cape_range range, struct cape_runs *runs)
{
	return area->base->diff(areas, area, range, runs);
}

/*
 * Memory at [ADDRESS, ADDRESS + LENGTH) is what every node has now.  KEEP: compare with it from
 * here on (a sync point inside a region); otherwise the twin may wait for the next fold.
 */
static inline void cape_area_settled(struct cape_area *area, uint64_t address, uint64_t length,
				     bool keep)
{
	if (area->base->settle)
		area->base->settle(area, address, length, keep);
}

/*
 * The twin of [ADDRESS, ADDRESS + LENGTH), made whole, to be read and written: what is written
 * to it is the base from then on.  Without a twin, memory itself: nothing has changed.
 */
static inline unsigned char *cape_area_twin(struct cape_area *area, uint64_t address,
					    uint64_t length)
{
	if (area->base->twin)
		return area->base->twin(area, address, length);
	return (unsigned char *)(uintptr_t)address;
}

/*
 * Where what ADDRESS was at the last sync point is, or NULL: zeros.  *KNOWN: up to where that
 * holds, at most END.
 */
static inline const unsigned char *cape_area_base_at(const struct cape_area *area, uint64_t address,
						     uint64_t end, uint64_t *known)
{
	return area->base->at(area, address, end, known);
}

/* The byte that ADDRESS was. */
static inline unsigned char cape_area_base(const struct cape_area *area, uint64_t address)
{
	uint64_t known;
	const unsigned char *base = cape_area_base_at(area, address, address + 1, &known);

	return base ? *base : 0;
}

/* Forgets the base of RANGE: its pages are zeros again, and untouched. */
static inline void cape_area_forget(struct cape_area *area, struct cape_range range)
{
	if (area->base->forget)
		area->base->forget(area, range);
}

/* Whole pages of RANGE have no base that means anything, but memory for one that will be written.
 */
static inline void cape_area_leave(struct cape_area *area, struct cape_range range)
{
	if (area->base->leave)
		area->base->leave(area, range);
}

#endif

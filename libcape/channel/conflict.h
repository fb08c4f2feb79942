/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * conflict.h - what the program tells its monitor of a data race, for the monitor to say in the
 * words of the source: it has the debug information.
 */
#ifndef CAPE_CONFLICT_H
#define CAPE_CONFLICT_H

#include <stdint.h>

#define CAPE_CONFLICT_WINDOW 16u /* bytes, aligned, around the one that it is about */

/* What the memory is. */
enum cape_conflict_memory {
	CAPE_CONFLICT_STATIC,	 /* the symbol table knows */
	CAPE_CONFLICT_AUTOMATIC, /* NAME, of SIZE bytes at START */
	CAPE_CONFLICT_HEAP,	 /* the block of SIZE bytes at START */
	CAPE_CONFLICT_STACK,	 /* of the region's callers */
};

/* What one of the two nodes did. */
enum cape_conflict_access {
	CAPE_CONFLICT_READ = 0,
	CAPE_CONFLICT_WRITE = 1,
	CAPE_CONFLICT_ATOMIC = 2, /* added to one of those */
};

struct cape_conflict_side {
	uint32_t node;
	uint32_t access; /* enum cape_conflict_access */
	uint64_t code;	 /* the instruction after the access, or 0: it is not known */
	unsigned char value[CAPE_CONFLICT_WINDOW];
};

struct cape_conflict {
	uint64_t address; /* of the byte */
	uint32_t memory;  /* enum cape_conflict_memory */
	uint32_t window;  /* the first byte of each VALUE that is known, ... */
	uint32_t window_end;
	uint32_t indirect; /* heap: the pointer called NAME leads to it by another pointer */
	uint64_t index;	   /* ... which is so many bytes after where NAME points to */
	uint64_t start, size;
	uint64_t site;	  /* heap: the instruction after the call that allocated, or 0 */
	uint64_t pointer; /* heap: a static variable that points to START, or 0 */
	char name[64];	  /* heap: an automatic one that does; or "" */
	struct cape_conflict_side side[2];
};

#endif

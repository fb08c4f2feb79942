/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mapping.h - memory that the program maps itself, made shared: places, the list of mappings.
 *
 * Sequential code maps in one zone, node k inside a region in zone k, so a place means the same on
 * every node.  The list is each node's own; a change that a node makes in a region is a call that
 * the others make too (calls.h).  A mapping begins as zeros, and so does its twin, on every node.
 */
#ifndef CAPE_MAPPING_H
#define CAPE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "heap/heap.h"

struct cape_runtime;
struct cape_area;

/* Addresses: after the heap; sequential code's zone, the nodes', and what sbrk() hands out. */
#define CAPE_MAPPED_START	    0x250000000000ull
#define CAPE_MAPPED_SEQUENTIAL_SIZE (2ull << 40)
#define CAPE_MAPPED_NODES_START	    (CAPE_MAPPED_START + CAPE_MAPPED_SEQUENTIAL_SIZE)
#define CAPE_MAPPED_NODES_SIZE	    (2ull << 40)
#define CAPE_BREAK_START	    (CAPE_MAPPED_NODES_START + CAPE_MAPPED_NODES_SIZE)
#define CAPE_BREAK_SIZE		    (1ull << 40)
#define CAPE_MAPPED_END		    (CAPE_BREAK_START + CAPE_BREAK_SIZE)

_Static_assert(CAPE_HEAP_END <= CAPE_MAPPED_START && CAPE_MAPPED_END <= CAPE_HEAP_APART_START,
	       "what is a program's own has addresses of its own");

/* Among the flags of a mapping: a file is mapped there, in place of anonymous memory. */
#define CAPE_MAPPING_OF_FILE 0x40000000

/* Neighbours that are alike are one. */
struct cape_mapping {
	uint64_t start, end;
	int protection;
	int flags;   /* MAP_SHARED or MAP_PRIVATE, what mmap() got with it, or OF_FILE */
	bool used;   /* was accessible once, so it may hold something */
	bool opened; /* accessible for the run time, whatever the protection is */
};

/* In the order of addresses. */
struct cape_mappings {
	struct cape_mapping *list;
	size_t count;
	bool opened;	 /* some are */
	bool up_to_date; /* with the calls that came with what is being injected */
};

/* Whether some of [START, END) is where mappings are. */
static inline bool cape_mapping_owns(uint64_t start, uint64_t end)
{
	return start < CAPE_MAPPED_END && end > CAPE_MAPPED_START;
}

/* A free place for LENGTH bytes (whole pages) in the caller's zone, or 0. */
uint64_t cape_mapping_place(struct cape_runtime *runtime, uint64_t length);

/*
 * These change whole pages of the zones, here and on the other nodes.  0 or -errno.  Map replaces
 * what is there; protect gives -ENOMEM where nothing is mapped.
 */
int cape_mapping_map(struct cape_runtime *runtime, uint64_t start, uint64_t end, int protection,
		     int flags);
int cape_mapping_unmap(struct cape_runtime *runtime, uint64_t start, uint64_t end);
int cape_mapping_protect(struct cape_runtime *runtime, uint64_t start, uint64_t end,
			 int protection);

/* The mapping that holds ADDRESS, or NULL. */
const struct cape_mapping *cape_mapping_find(const struct cape_runtime *runtime, uint64_t address);

/* Makes all mappings that may hold something readable and writable, until cape_mapping_close(). */
void cape_mapping_open(struct cape_runtime *runtime);
void cape_mapping_close(struct cape_runtime *runtime);

/* A checkpoint begins, which may bring changes of the list. */
void cape_mapping_expect(struct cape_runtime *runtime);

/* Before a checkpoint writes to memory there.  0 or -EFAULT. */
int cape_mapping_reach(struct cape_runtime *runtime, uint64_t address, uint64_t length);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap.h - the heap of a CAPE program: shared memory, at the same addresses on every node.
 *
 * Sequential code, which runs alike on every node, allocates from one arena; in parallel code
 * node k allocates from arena k, and touches no other arena's bookkeeping.  All bookkeeping is
 * in the arenas, so it travels with the data at each sync point, and a pointer that one node
 * publishes is valid on all of them.
 *
 * A block that parallel code frees on a node that does not own it stays allocated until
 * cape_heap_settle(), which every node runs alike.
 */
#ifndef CAPE_RUNTIME_HEAP_H
#define CAPE_RUNTIME_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/arena.h"

/*
 * The addresses: 20 TB that hold nothing else with address randomisation off, whichever way
 * the kernel lays out mappings (upwards from 0x2aaaaaaab000, or downwards from the stack).
 * The sequential arena comes first, node 0's next.  Memory is mapped as an arena grows.
 */
#define CAPE_HEAP_START		  0x110000000000ull
#define CAPE_HEAP_SEQUENTIAL_SIZE (4ull << 40)
#define CAPE_HEAP_NODES_START	  (CAPE_HEAP_START + CAPE_HEAP_SEQUENTIAL_SIZE)
#define CAPE_HEAP_NODES_SIZE	  (16ull << 40)
#define CAPE_HEAP_MAX_NODES	  1024
#define CAPE_HEAP_END		  (CAPE_HEAP_NODES_START + CAPE_HEAP_NODES_SIZE)
/* So many share what is the nodes', or, where there are more, as many as there can be. */
#define CAPE_HEAP_FEW_NODES 256u

static inline unsigned int cape_heap_shares(unsigned int nodes)
{
	return nodes <= CAPE_HEAP_FEW_NODES ? CAPE_HEAP_FEW_NODES : CAPE_HEAP_MAX_NODES;
}

/* What is this node's own: after what programs map (memory/mapping.h). */
#define CAPE_HEAP_APART_START 0x2a0000000000ull
#define CAPE_HEAP_APART_SIZE  (64ull << 30)

struct cape_runtime;

/*
 * The heap as one node sees it.  Differs between nodes, so it must not lie in shared memory.
 * All zero before cape_heap_start().
 */
struct cape_heap {
	unsigned int node;
	unsigned int nodes;
	uint64_t node_size;	    /* addresses of each node's arena */
	bool parallel;		    /* node-specific code is running */
	struct cape_arena *current; /* what allocation takes from; NULL: not started */
	struct cape_arena arenas[1 + CAPE_HEAP_MAX_NODES]; /* the sequential one, then node 0's */
	struct cape_arena apart;			   /* not shared */
	bool parallel_before;				   /* cape_heap_apart() */
};

/* A part of the heap that is in use. */
struct cape_heap_range {
	uint64_t address;
	uint64_t length; /* bytes */
};

/*
 * cape_heap_start - make the heap usable, in sequential mode, as NODE of NODES.
 *
 * Uses mmap only, so it may run before libc is up.  Call it again when NODE and NODES become
 * known later than the first malloc(); nothing but parallel code depends on them.  0, or
 * -errno: -EINVAL too many nodes, -EEXIST something is mapped there already, -ENOMEM.
 */
int cape_heap_start(struct cape_heap *heap, unsigned int node, unsigned int nodes);

/*
 * cape_heap_in_huge_pages - from here on the kernel may give the sequential arena huge pages, where
 * it has them, which are opened and shut at once.
 */
void cape_heap_in_huge_pages(struct cape_heap *heap);

/*
 * cape_heap_parallel - say whether the code that follows differs between nodes (PARALLEL: use
 * this node's arena) or runs alike on all (use the sequential arena, free anything at once).
 */
void cape_heap_parallel(struct cape_heap *heap, bool parallel);

/*
 * cape_heap_apart - until it is called again (with APART false), allocation takes from memory that
 * is not shared, and leaves shared memory alone.
 *
 * For threads of the program's own, whose turns differ from node to node.
 */
void cape_heap_apart(struct cape_heap *heap, bool apart);

/* Blocks; sizes, alignments and errors as in arena.h.  0 for ALIGNMENT is malloc's. */
void *cape_heap_allocate(struct cape_heap *heap, size_t size, size_t alignment);
void *cape_heap_allocate_zeroed(struct cape_heap *heap, size_t size);

/*
 * cape_heap_resize - realloc for a BLOCK that is not NULL and a SIZE that may be 0.
 *
 * NULL with errno ENOMEM: the block is as it was; NULL with errno EFAULT: no such block.
 */
void *cape_heap_resize(struct cape_heap *heap, void *block, size_t size);

/*
 * cape_heap_release - free BLOCK, or record it for cape_heap_settle() if it is of another arena.
 *
 * 0, or -EFAULT if there is no such block.  Leaves errno alone.
 */
int cape_heap_release(struct cape_heap *heap, void *block);

/* The bytes that the owner of BLOCK may use, or 0 if there is no such block. */
size_t cape_heap_usable(const struct cape_heap *heap, const void *block);

/*
 * How often blocks have changed that sequential code allocated, the same on every node.  *BLOCK is
 * one of these: its usable bytes are what they were, if they were not 0, until that is more.
 */
bool cape_heap_changes(const struct cape_heap *heap, const void *block, uint64_t *changes);

/* Whether ADDRESS lies in one of the arenas, in use or not. */
bool cape_heap_owns(const struct cape_heap *heap, const void *address);

/* Whether cape_heap_settle() would find nothing to do. */
bool cape_heap_is_settled(const struct cape_heap *heap);

/*
 * cape_heap_settle - carry out the frees of blocks of other arenas, of all nodes.
 *
 * To be run by every node alike, when shared memory is identical on all and no node runs
 * parallel code: after the sync point that ends a region.  What it changes is changed alike
 * everywhere.  Each free of a block that is not allocated (freed by two nodes, say) is left
 * undone and passed to REPORT, unless that is NULL: the node that freed, and the address.
 * Returns the number of such frees.
 */
size_t cape_heap_settle(struct cape_heap *heap,
			void (*report)(void *context, unsigned int node, uint64_t address),
			void *context);

/*
 * cape_heap_word - a word in NODE's arena for the run time's own use, zero at first.
 *
 * It travels with the arena.  NULL: the node has not used its arena yet.
 */
uint64_t *cape_heap_word(const struct cape_heap *heap, unsigned int node);

/*
 * cape_heap_ranges - the parts of the heap in use: what must be compared.
 *
 * Range i is that of arena i (0: the sequential one, 1 + k: node k's), so they are in order of
 * address; an unused arena's length is 0.  Read from the arenas themselves, so right after an
 * inject too.  Fills at most MAX ranges and returns how many there are: 1 + nodes.
 *
 * A range becomes shorter only in sequential code; what lies after it is then zero again on
 * every node, and so must be its twin before parallel code can take it anew.
 */
size_t cape_heap_ranges(const struct cape_heap *heap, struct cape_heap_range *ranges, size_t max);

/*
 * cape_heap_reach - make memory of the heap writable before a checkpoint writes to it.
 *
 * Parts of [ADDRESS, ADDRESS + LENGTH) outside the heap are left alone.  0, or -errno: -EFAULT
 * for the arena of a node that there is not, -ENOMEM.
 */
int cape_heap_reach(struct cape_heap *heap, uint64_t address, uint64_t length);

/*
 * cape_heap_catch_up - make all ranges readable and writable, as far as other nodes allocated.
 *
 * To be called after every inject, before the program or a comparison goes on: a block that its
 * node has not written to lies in the range, and no run of a checkpoint has reached it.  0, or
 * -errno.
 */
int cape_heap_catch_up(struct cape_heap *heap);

/*
 * cape_program_heap - the heap of malloc(), from the run time (not from heap.c).
 *
 * Starts it on first use, which may come before main and before any constructor, so it must
 * call nothing that allocates.  NULL if the heap cannot start.
 */
struct cape_heap *cape_program_heap(void);

/* From here on malloc() gives blocks of the C library's; this heap's are known by their address. */
void cape_heap_leave_to_libc(struct cape_runtime *runtime);

#endif

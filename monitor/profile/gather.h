/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gather.h - lists of all nodes, of any length, to node 0, a piece of each at a time.
 */
#ifndef CAPE_MONITOR_PROFILE_GATHER_H
#define CAPE_MONITOR_PROFILE_GATHER_H

#include <stddef.h>
#include <stdint.h>

struct wire;

/* An item of NODE's list, the WHICH-th of it.  0 or -errno. */
typedef int (*gather_take)(void *context, int node, uint64_t which, const void *item);

/*
 * Node I has COUNT[I] items of SIZE bytes, this node's are at OWN.  Node 0 is handed each, those of
 * one node in their order.  Collective.  0, or -errno, on node 0 also TAKE's first.
 */
int gather(struct wire *wire, const void *own, size_t size, const uint64_t *count, gather_take take,
	   void *context);

#endif

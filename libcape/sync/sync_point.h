/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sync_point.h - generate, all-reduce, inject (thesis Fig. 4.2), and what goes with it.
 */
#ifndef CAPE_SYNC_POINT_H
#define CAPE_SYNC_POINT_H

#include "message/exchange.h"
#include "base/context.h"
#include "checkpoint/runs.h"
#include "heap/heap.h"

/* What the next sync point sends besides changed memory, and what it makes of the messages. */
struct cape_sync {
	unsigned char *reduction;
	size_t reduction_size;
	bool combined; /* a function of the program's has folded reductions at this sync point */
	unsigned char *postponed; /* reductions that are folded after the sync point */
	size_t postponed_size;
	unsigned char *copyprivate;
	size_t copyprivate_size;
	uint64_t *copyprivate_target; /* pairs: address, size */
	size_t copyprivate_count;
	struct cape_private_array runs_memory;
	struct cape_runs runs;
	struct cape_private_array merged_memory;
	struct cape_runs merged; /* the master of master-slave: what the merge has written */
	uint64_t time_stamp;
	void *page_list;			    /* of --verify, when it has found something */
	uint64_t heap_top[1 + CAPE_HEAP_MAX_NODES]; /* where each arena ended at the last fold */
};

/* Makes the twin what memory is, so that changes count from here: the entry of a region. */
void cape_sync_fold(struct cape_runtime *runtime);

/*
 * A sync point of KIND (CAPE_SYNC_BARRIER, CAPE_SYNC_MEETING or CAPE_SYNC_END) that the construct
 * at PLACE asks for. A node outside the team passes CAPE_SYNC_END: it takes part in every sync
 * point of the region.
 */
void cape_sync_point(struct cape_runtime *runtime, enum cape_sync_kind kind,
		     const struct cape_place *place);

/*
 * Whether nodes need not meet at the end of the region at PLACE, after which the program touches no
 * shared memory, as for struct cape_exchange_way: then no sync point comes there.
 */
bool cape_sync_skip_end(struct cape_runtime *runtime, const struct cape_place *place);

/* Adding to a message; the run ends when there is no room. */
/* RUNS with their bytes, as memory holds them; what was done to files; the master's frame. */
void cape_sync_put_runs(struct cape_runtime *runtime, struct cape_message_writer *writer,
			const struct cape_runs *runs);
void cape_sync_put_files(struct cape_runtime *runtime, struct cape_message_writer *writer);

#endif

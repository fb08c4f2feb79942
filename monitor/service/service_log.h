/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_log.h - the one order of all checkpoints that nodes published between sync points.
 *
 * Every entry is kept until each node has it.  An entry's block is what travels: its header,
 * then its bytes, padded to 8.
 */
#ifndef CAPE_SERVICE_LOG_H
#define CAPE_SERVICE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "channel/service.h"
#include "checkpoint/touched.h"

/* Position of a block that stands outside the log. */
#define LOG_NOWHERE UINT64_MAX

struct log {
	uint32_t nodes;
	uint64_t limit; /* bytes it may hold */
	uint64_t bytes; /* it holds */
	uint64_t first; /* position of the oldest entry kept */
	uint64_t total; /* entries since the run began: the next one's position */
	struct cape_service_entry **ring;
	size_t capacity; /* a power of two, or 0 */
	uint64_t *seen;	 /* by node: it has all before */
	struct cape_touched unseen;
};

/* What a node has not seen. */
struct log_news {
	uint64_t entries;
	uint64_t size; /* of their blocks */
};

int log_start(struct log *log, uint32_t nodes, uint64_t limit); /* 0 or -ENOMEM */
void log_stop(struct log *log);

/* A block of SIZE bytes of NODE; to be freed.  NULL: out of memory. */
struct cape_service_entry *log_block(uint32_t node, uint64_t position, const void *bytes,
				     uint64_t size);
uint64_t log_block_size(const struct cape_service_entry *entry);

/*
 * Appends SIZE bytes of NODE, without what yields to what it has not seen of others (exact.h).  0,
 * -ENOMEM, or -ENOSPC when the limit is reached.
 */
int log_append(struct log *log, uint32_t node, const void *bytes, uint64_t size);

/*
 * NODE has all entries before SEEN; frees what all nodes have.  False when that cannot be.
 */
bool log_seen(struct log *log, uint32_t node, uint64_t seen);

/* What NODE has not seen of the entries before END, its own left out. */
struct log_news log_news(const struct log *log, uint32_t node, uint64_t end);

/*
 * The first entry at *POSITION or after it that is not NODE's own; *POSITION moves after it.
 * NULL: there is none.  It stays until NODE has seen it.
 */
const struct cape_service_entry *log_next(const struct log *log, uint32_t node, uint64_t *position);

#endif

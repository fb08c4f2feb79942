// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_log.c - the log as a ring of pointers to blocks, which grows and is cut at its tail.
 */
#include "service_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "system/memory.h"

int log_start(struct log *log, uint32_t nodes, uint64_t limit)
{
	*log = (struct log){.nodes = nodes, .limit = limit};
	log->unseen.memory = &cape_memory_heap;
	log->seen = calloc(nodes, sizeof(*log->seen));
	return log->seen ? 0 : -ENOMEM;
}

static struct cape_service_entry **place(const struct log *log, uint64_t position)
{
	return &log->ring[position & (log->capacity - 1)];
}

void log_stop(struct log *log)
{
	for (uint64_t at = log->first; at < log->total; at++)
		free(*place(log, at));
	free(log->ring);
	free(log->seen);
	free(log->unseen.page);
	free(log->unseen.left);
}

static uint64_t padded(uint64_t size)
{
	return (size + 7) & ~7ull;
}

struct cape_service_entry *log_block(uint32_t node, uint64_t position, const void *bytes,
				     uint64_t size)
{
	struct cape_service_entry *entry = malloc(sizeof(*entry) + padded(size));

	if (!entry)
		return NULL;
	*entry = (struct cape_service_entry){.node = node, .position = position, .size = size};
	if (size)
		memcpy(entry + 1, bytes, size);
	memset((char *)(entry + 1) + size, 0, padded(size) - size);
	return entry;
}

uint64_t log_block_size(const struct cape_service_entry *entry)
{
	return sizeof(*entry) + padded(entry->size);
}

static int grow(struct log *log)
{
	size_t capacity = log->capacity ? 2 * log->capacity : 64;
	struct cape_service_entry **ring = calloc(capacity, sizeof(struct cape_service_entry *));

	if (!ring)
		return -ENOMEM;
	for (uint64_t at = log->first; at < log->total; at++)
		ring[at & (capacity - 1)] = *place(log, at);
	free(log->ring);
	log->ring = ring;
	log->capacity = capacity;
	return 0;
}

/* A node has its own entries without being sent them. */
static void skip_own(struct log *log, uint32_t node)
{
	uint64_t *seen = &log->seen[node];

	while (*seen < log->total && (*place(log, *seen))->node == node)
		++*seen;
}

static void cut_tail(struct log *log)
{
	uint64_t all = log->total;

	for (uint32_t node = 0; node < log->nodes && all > log->first; node++)
		if (log->seen[node] < all)
			all = log->seen[node];
	for (; log->first < all; log->first++) {
		log->bytes -= log_block_size(*place(log, log->first));
		free(*place(log, log->first));
	}
}

/* What others have published that NODE has not seen. */
static int collect_unseen(struct log *log, uint32_t node)
{
	uint64_t position = log->seen[node];
	const struct cape_service_entry *entry;
	int error = 0;

	while (error != -ENOMEM && (entry = log_next(log, node, &position)))
		error = cape_touched_add(&log->unseen, entry + 1, entry->size);
	return error == -ENOMEM ? error : 0;
}

/* A block of the next position.  What is malformed stays: who reads it says so. */
static struct cape_service_entry *block_after_all(struct log *log, uint32_t node, const void *bytes,
						  uint64_t size)
{
	struct cape_service_entry *entry = NULL;
	int error = collect_unseen(log, node);

	if (!error)
		error = cape_touched_without(&log->unseen, &bytes, &size);
	if (error != -ENOMEM)
		entry = log_block(node, log->total, bytes, size);
	cape_touched_clear(&log->unseen);
	return entry;
}

int log_append(struct log *log, uint32_t node, const void *bytes, uint64_t size)
{
	struct cape_service_entry *entry;

	if (size > log->limit || log->bytes > log->limit - size)
		return -ENOSPC;
	if (log->total - log->first == log->capacity && grow(log) < 0)
		return -ENOMEM;
	entry = block_after_all(log, node, bytes, size);
	if (!entry)
		return -ENOMEM;
	*place(log, log->total++) = entry;
	log->bytes += log_block_size(entry);
	skip_own(log, node);
	cut_tail(log);
	return 0;
}

bool log_seen(struct log *log, uint32_t node, uint64_t seen)
{
	if (seen > log->total)
		return false;
	if (seen > log->seen[node]) {
		log->seen[node] = seen;
		skip_own(log, node);
		cut_tail(log);
	}
	return true;
}

struct log_news log_news(const struct log *log, uint32_t node, uint64_t end)
{
	struct log_news news = {0};
	uint64_t position = log->seen[node];
	const struct cape_service_entry *entry;

	while ((entry = log_next(log, node, &position)) && entry->position < end) {
		news.entries++;
		news.size += log_block_size(entry);
	}
	return news;
}

const struct cape_service_entry *log_next(const struct log *log, uint32_t node, uint64_t *position)
{
	while (*position < log->total) {
		const struct cape_service_entry *entry = *place(log, (*position)++);

		if (entry->node != node)
			return entry;
	}
	return NULL;
}

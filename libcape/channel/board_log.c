// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * board_log.c - appending to the log on the board, and reading it.
 */
#include "channel/board_log.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "channel/watch.h"
#include "system/libc.h"

#define GIVEN_BACK (1ull << 20) /* bytes, at once */

static struct cape_board_log *log_of(struct cape_channel *channel)
{
	return (struct cape_board_log *)((char *)cape_board_of(channel) + CAPE_BOARD_LOG);
}

static struct cape_board_reader *mine(struct cape_channel *channel)
{
	return &log_of(channel)->reader[channel->node];
}

static struct cape_service_entry *entry_at(struct cape_channel *channel, uint64_t bytes)
{
	return (struct cape_service_entry *)((char *)cape_board_of(channel) + CAPE_BOARD_RING +
					     bytes % CAPE_BOARD_RING_SIZE);
}

static uint64_t size_of(uint64_t payload)
{
	return sizeof(struct cape_service_entry) + ((payload + 7) & ~7ull);
}

/* Bytes before this have been read by all. */
static uint64_t all_read(struct cape_channel *channel)
{
	const struct cape_board_log *log = log_of(channel);
	uint64_t all = log->bytes;

	for (uint32_t node = 0; node < channel->nodes; node++) {
		uint64_t bytes = __atomic_load_n(&log->reader[node].bytes, __ATOMIC_ACQUIRE);

		if (bytes < all)
			all = bytes;
	}
	return all;
}

static void give_back(struct cape_channel *channel)
{
	struct cape_board_log *log = log_of(channel);
	uint64_t all = log->bytes - log->kept < 2 * GIVEN_BACK ? 0 : all_read(channel);

	for (; log->kept + GIVEN_BACK <= all; log->kept += GIVEN_BACK)
		madvise(entry_at(channel, log->kept), GIVEN_BACK, MADV_REMOVE);
}

int cape_board_publish(struct cape_channel *channel, const void *bytes, uint64_t size,
		       uint64_t seen)
{
	struct cape_board_log *log = log_of(channel);
	struct cape_service_entry *entry;

	if (size > channel->board.log_limit)
		return -ENOSPC;
	cape_mutex_lock(&log->mutex);
	if (log->entries != seen) {
		cape_mutex_unlock(&log->mutex);
		return -EAGAIN;
	}
	if (log->bytes + size_of(size) - log->kept > channel->board.log_limit &&
	    log->bytes + size_of(size) - all_read(channel) > channel->board.log_limit) {
		cape_mutex_unlock(&log->mutex);
		return -ENOSPC;
	}
	entry = entry_at(channel, log->bytes);
	*entry = (struct cape_service_entry){
		.node = channel->node, .position = log->entries, .size = size};
	memcpy(entry + 1, bytes, size);
	log->bytes += size_of(size);
	mine(channel)->own++;
	__atomic_store_n(&log->entries, log->entries + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&log->news, (uint32_t)log->entries, __ATOMIC_SEQ_CST);
	give_back(channel);
	cape_mutex_unlock(&log->mutex);
	cape_watch_wake(&log->news, &log->sleeping);
	return 0;
}

bool cape_board_has_news(struct cape_channel *channel)
{
	const struct cape_board_reader *reader = mine(channel);
	uint64_t entries = __atomic_load_n(&log_of(channel)->entries, __ATOMIC_ACQUIRE);

	return entries - reader->entries > reader->own;
}

void cape_board_await_news(struct cape_channel *channel, uint64_t microseconds)
{
	struct cape_board_log *log = log_of(channel);
	struct timespec longest = {.tv_sec = (time_t)(microseconds / 1000000),
				   .tv_nsec = (long)(microseconds % 1000000 * 1000)};
	uint32_t seen = __atomic_load_n(&log->news, __ATOMIC_SEQ_CST);

	if (!cape_board_has_news(channel))
		cape_watch_or_sleep(channel, &log->news, seen, &log->sleeping, &longest);
}

struct cape_board_reader cape_board_reader(struct cape_channel *channel)
{
	return *mine(channel);
}

uint64_t cape_board_entries(struct cape_channel *channel)
{
	return __atomic_load_n(&log_of(channel)->entries, __ATOMIC_ACQUIRE);
}

bool cape_board_is_late(struct cape_channel *channel, const struct cape_board_reader *reader,
			uint64_t end)
{
	uint64_t entries = cape_board_entries(channel);

	return reader->entries < (end < entries ? end : entries);
}

int cape_board_next(struct cape_channel *channel, struct cape_board_reader *reader, uint64_t end,
		    const struct cape_service_entry **entry)
{
	if (!cape_board_is_late(channel, reader, end))
		return 0;
	*entry = entry_at(channel, reader->bytes);
	if ((*entry)->position != reader->entries || (*entry)->size > channel->board.log_limit ||
	    (*entry)->node >= channel->nodes)
		return -EPROTO;
	reader->entries++;
	reader->bytes += size_of((*entry)->size);
	reader->own -= (*entry)->node == channel->node;
	return 1;
}

void cape_board_has_read(struct cape_channel *channel, const struct cape_board_reader *reader)
{
	struct cape_board_reader *to = mine(channel);

	to->entries = reader->entries;
	to->own = reader->own;
	__atomic_store_n(&to->bytes, reader->bytes, __ATOMIC_RELEASE);
}

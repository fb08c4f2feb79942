// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * near.c - a program reads pages from the memory of another one on its machine.
 */
#include "channel/near.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include "channel/remote.h"
#include "channel/watch.h"
#include "system/libc.h"
#include "system/own_status.h"

#define PAGES_KEPT  16384u /* pages whose memory is kept for the next rounds */
#define AWAIT_SPINS 1000u

bool cape_near_is_open(const struct cape_channel *channel)
{
	return channel->board.open && channel->nodes <= CAPE_NEAR_NODES;
}

/* -- numbers that others wait for -------------------------------------------------------------- */

/* The lower half of NUMBER, by which who sleeps is woken. */
static uint32_t *low_of(uint64_t *number)
{
	return (uint32_t *)number;
}

static void announce(struct cape_near *near, uint64_t *number, uint64_t to)
{
	__atomic_store_n(number, to, __ATOMIC_SEQ_CST);
	cape_watch_wake(low_of(number), &near->sleeping);
}

static void await_number(struct cape_channel *channel, struct cape_near *near, uint64_t *number,
			 uint64_t least)
{
	uint64_t seen;

	while ((seen = __atomic_load_n(number, __ATOMIC_ACQUIRE)) < least)
		cape_watch_or_sleep(channel, low_of(number), (uint32_t)seen, &near->sleeping,
				    &cape_watch_longest);
}

void cape_near_raise(struct cape_channel *channel, uint64_t version)
{
	struct cape_near *near = cape_near_of(channel, channel->node);

	if (cape_near_is_open(channel))
		announce(near, &near->version, version);
}

void cape_near_brought(struct cape_channel *channel)
{
	struct cape_near *near = cape_near_of(channel, channel->node);

	announce(near, &near->brought, channel->fetch.version);
}

void cape_near_await_brought(struct cape_channel *channel, uint32_t node, uint64_t version)
{
	struct cape_near *near = cape_near_of(channel, node);
	int saved = errno;

	await_number(channel, near, &near->brought, version);
	errno = saved;
}

void cape_near_await_all(struct cape_channel *channel)
{
	int saved = errno;

	if (!cape_near_is_open(channel))
		return;
	for (uint32_t node = 0; node < channel->nodes; node++) {
		struct cape_near *near = cape_near_of(channel, node);

		await_number(channel, near, &near->version, channel->fetch.version);
	}
	errno = saved;
}

/* -- reading ----------------------------------------------------------------------------------- */

/*
 * Containers may share a network, and so a board, and give the same number to different processes.
 */
static uint64_t own_processes(void)
{
	struct stat space;
	int saved = errno, result = cape_own_status_at(AT_FDCWD, "/proc/self/ns/pid", &space, 0);

	errno = saved;
	return result == 0 ? space.st_ino : 0;
}

void cape_near_begin(struct cape_channel *channel, uint64_t version)
{
	struct cape_near *near = cape_near_of(channel, channel->node);

	if (!cape_near_is_open(channel))
		return;
	/* Nobody has read here since the last time. */
	if (near->program && !__atomic_load_n(&near->served, __ATOMIC_SEQ_CST)) {
		/* Others look at it: even to write the same again would slow them down. */
		if (near->version != version)
			cape_near_raise(channel, version);
		return;
	}
	channel->statistics.sent[CAPE_SENT_FETCHED] += near->served * CAPE_FETCH_PAGE;
	if (near->served > PAGES_KEPT)
		madvise(cape_near_page(near, PAGES_KEPT),
			(near->served - PAGES_KEPT) * CAPE_FETCH_PAGE, MADV_REMOVE);
	if (!near->processes)
		near->processes = own_processes();
	__atomic_store_n(&near->program, (uint32_t)syscall(SYS_getpid), __ATOMIC_SEQ_CST);
	__atomic_store_n(&near->round, near->round + 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&near->served, 0, __ATOMIC_SEQ_CST);
	cape_near_raise(channel, version);
}

/* Whether this program can tell the other one, which has come to a version, by its number. */
static bool is_reachable(struct cape_channel *channel, const struct cape_near *near)
{
	uint64_t processes = cape_near_of(channel, channel->node)->processes;

	return processes && near->processes == processes;
}

/* Waits for a moment, too. */
static bool has_version(struct cape_channel *channel, const struct cape_near *near)
{
	const uint32_t *low = (const uint32_t *)&near->version;
	uint32_t seen = __atomic_load_n(low, __ATOMIC_ACQUIRE);

	if (__atomic_load_n(&near->version, __ATOMIC_SEQ_CST) < channel->fetch.version)
		cape_watch(channel, low, seen);
	return __atomic_load_n(&near->version, __ATOMIC_SEQ_CST) >= channel->fetch.version;
}

/* The first of PAGES entries, which are nobody else's, or -ENOSPC. */
static int64_t take_places(struct cape_near *near, uint32_t pages)
{
	uint32_t first = __atomic_load_n(&near->served, __ATOMIC_ACQUIRE);

	do {
		if (first > CAPE_NEAR_PAGES - pages)
			return -ENOSPC;
	} while (!__atomic_compare_exchange_n(&near->served, &first, first + pages, false,
					      __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE));
	return first;
}

static void put_entries(struct cape_near *near, struct cape_served *entry, uint32_t reader,
			const struct cape_range *stretch, uint32_t stretches)
{
	for (uint32_t i = 0; i < stretches; i++)
		for (uint64_t at = stretch[i].start; at < stretch[i].end; at += CAPE_FETCH_PAGE) {
			entry->address = at;
			entry->reader = reader;
			__atomic_store_n(&entry->ready, near->round, __ATOMIC_RELEASE);
			entry++;
		}
}

const unsigned char *cape_near_read(struct cape_channel *channel, uint32_t pages)
{
	const struct cape_range *stretch = cape_channel_wanted(channel);
	struct cape_near *near = cape_near_of(channel, channel->fetch.owner);
	uint32_t stretches = channel->fetch.stretches;
	int saved = errno, error;
	uint64_t wrong;
	int64_t first;

	if (!cape_near_is_open(channel) || channel->board.apart || !has_version(channel, near) ||
	    !is_reachable(channel, near))
		return NULL;
	first = take_places(near, pages);
	if (first < 0)
		return NULL;
	error = cape_remote_read((pid_t)near->program, stretch, stretches,
				 cape_near_page(near, (uint64_t)first), &wrong);
	put_entries(near, &cape_near_table(near)[first], error ? CAPE_NEAR_NOBODY : channel->node,
		    stretch, stretches);
	/* Monitors know why, or can. */
	channel->board.apart = error != 0;
	errno = saved;
	return error ? NULL : cape_near_page(near, (uint64_t)first);
}

/* -- small pieces ------------------------------------------------------------------------------ */

static struct cape_near_post *post_of(struct cape_near *near, uint64_t version)
{
	return &near->post[version % CAPE_NEAR_POSTS];
}

static bool are_small(const struct cape_range *range, size_t count)
{
	uint64_t size = 0;

	for (size_t i = 0; i < count && count <= CAPE_NEAR_PIECES; i++)
		size += range[i].end - range[i].start;
	return count <= CAPE_NEAR_PIECES && size <= CAPE_NEAR_BYTES;
}

void cape_near_post(struct cape_channel *channel, const struct cape_range *range, size_t count)
{
	uint64_t version = channel->fetch.version + 1;
	struct cape_near_post *post = post_of(cape_near_of(channel, channel->node), version);
	unsigned char *to = post->bytes;

	if (!count || !are_small(range, count))
		return;
	for (size_t i = 0; i < count; i++) {
		uint64_t size = range[i].end - range[i].start;

		post->piece[i] = range[i];
		memcpy(to, (const void *)(uintptr_t)range[i].start, size);
		to += size;
	}
	post->pieces = count;
	post->version = version;
}

void cape_near_withdraw(struct cape_channel *channel)
{
	struct cape_near *own = cape_near_of(channel, channel->node);

	if (cape_near_is_open(channel))
		post_of(own, channel->fetch.version)->version = 0;
}

/* Where PIECE is in POST, or NULL. */
static const unsigned char *find_posted(const struct cape_near_post *post, struct cape_range piece)
{
	const unsigned char *at = post->bytes;

	for (uint64_t i = 0; i < post->pieces && i < CAPE_NEAR_PIECES; i++) {
		const struct cape_range *posted = &post->piece[i];

		if (posted->start <= piece.start && piece.end <= posted->end)
			return at + (piece.start - posted->start);
		at += posted->end - posted->start;
	}
	return NULL;
}

/* Whether all of the pieces are posted, and are here then. */
static bool take_posted(const struct cape_near_post *post, uint64_t version,
			const struct cape_range *range, uint32_t count)
{
	const unsigned char *from;

	if (post->version != version || count > CAPE_NEAR_PIECES)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		from = find_posted(post, range[i]);
		if (!from)
			return false;
		memcpy((void *)(uintptr_t)range[i].start, from, range[i].end - range[i].start);
	}
	return true;
}

static int copy(struct cape_channel *channel, struct cape_near *near,
		const struct cape_range *range, uint32_t count)
{
	uint64_t version = channel->fetch.version;

	await_number(channel, near, &near->version, version);
	if (take_posted(post_of(near, version), version, range, count))
		return 0;
	if (!is_reachable(channel, near))
		return -EPERM;
	return cape_remote_copy((pid_t)near->program, range, count);
}

int cape_near_copy(struct cape_channel *channel, uint32_t node, const struct cape_range *range,
		   uint32_t count)
{
	int saved = errno, error;

	if (!cape_near_is_open(channel))
		return -EOPNOTSUPP;
	error = copy(channel, cape_near_of(channel, node), range, count);
	errno = saved;
	return error;
}

bool cape_near_can_copy(struct cape_channel *channel, uint32_t node, struct cape_range piece)
{
	struct cape_near *near = cape_near_of(channel, node);
	unsigned char bytes[CAPE_FETCH_PAGE];
	int saved = errno;
	uint64_t wrong;
	bool can;

	await_number(channel, near, &near->version, channel->fetch.version);
	can = is_reachable(channel, near) &&
	      cape_remote_read((pid_t)near->program, &piece, 1, bytes, &wrong) == 0;
	errno = saved;
	return can;
}

void cape_near_await(const struct cape_near *near, const struct cape_served *entry)
{
	for (uint32_t i = 0; __atomic_load_n(&entry->ready, __ATOMIC_ACQUIRE) != near->round; i++)
		if (i < AWAIT_SPINS)
			__builtin_ia32_pause();
		else
			syscall(SYS_sched_yield);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * serve.c - reads pages of a program that computes on, and tells it who has what.
 */
#include "serve.h"

#include <errno.h>
#include <sys/mman.h>
#include "channel/remote.h"

/* Pages whose memory is kept for those that are served next. */
#define PAGES_KEPT 4096

/* No program is so many versions before another one. */
#define VERSIONS_AHEAD (1u << 20)

static bool are_pages(const struct cape_range *stretch)
{
	return stretch->start < stretch->end && stretch->start % CAPE_FETCH_PAGE == 0 &&
	       stretch->end % CAPE_FETCH_PAGE == 0;
}

static uint64_t size_of(const struct cape_range *stretch)
{
	return stretch->end - stretch->start;
}

bool serve_count_pages(struct wanted *wanted)
{
	uint64_t pages = 0;

	wanted->pages = 0;
	for (uint32_t i = 0; i < wanted->stretches; i++) {
		const struct cape_range *stretch = &wanted->body.stretch[i];

		if (!are_pages(stretch))
			return false;
		pages += size_of(stretch) / CAPE_FETCH_PAGE;
		if (pages > CAPE_FETCH_PAGES)
			return false;
	}
	wanted->pages = (uint32_t)pages;
	return pages > 0;
}

bool serve_comes_to(const struct cape_channel *channel, const struct wanted *wanted)
{
	uint64_t version = __atomic_load_n(&channel->fetch.version, __ATOMIC_SEQ_CST);

	return wanted->body.version <= version || wanted->body.version - version <= VERSIONS_AHEAD;
}

static bool has_version(const struct cape_channel *channel, uint64_t version)
{
	return __atomic_load_n(&channel->fetch.version, __ATOMIC_SEQ_CST) >= version;
}

bool serve_is_ready(struct cape_channel *channel, const struct wanted *wanted)
{
	if (has_version(channel, wanted->body.version))
		return true;
	/* Either the program sees that it is awaited, or this sees what it is awaited for. */
	__atomic_store_n(&channel->fetch.awaited, 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return has_version(channel, wanted->body.version);
}

/* Entries for the pages of STRETCH, not ready yet.  Returns where they end. */
static struct cape_served *put_entries(struct cape_served *entry, uint32_t reader,
				       const struct cape_range *stretch)
{
	for (uint64_t at = stretch->start; at < stretch->end; at += CAPE_FETCH_PAGE)
		*entry++ = (struct cape_served){.address = at, .reader = reader};
	return entry;
}

/* The first of the entries of what is WANTED in the table, or -ENOSPC. */
static int64_t note(struct cape_channel *channel, uint32_t reader, const struct wanted *wanted)
{
	uint32_t first = __atomic_load_n(&channel->fetch.served, __ATOMIC_ACQUIRE);

	do {
		struct cape_served *entry = &cape_channel_served(channel)[first];

		if (first > CAPE_SERVED_LIMIT - wanted->pages)
			return -ENOSPC;
		for (uint32_t i = 0; i < wanted->stretches; i++)
			entry = put_entries(entry, reader, &wanted->body.stretch[i]);
	} while (!__atomic_compare_exchange_n(&channel->fetch.served, &first, first + wanted->pages,
					      false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE));
	return first;
}

int serve_read(struct cape_channel *channel, pid_t program, uint32_t reader,
	       const struct wanted *wanted, struct served *served)
{
	int64_t first = note(channel, reader, wanted);
	int error;

	served->wrong = wanted->body.stretch[0].start;
	if (first < 0)
		return (int)first;
	served->entries = (uint64_t)first + wanted->pages;
	served->pages = cape_channel_served_page(channel, (uint64_t)first);
	error = cape_remote_read(program, wanted->body.stretch, wanted->stretches, served->pages,
				 &served->wrong);
	if (error)
		return error;
	for (uint32_t i = 0; i < wanted->pages; i++)
		__atomic_store_n(&cape_channel_served(channel)[first + i].ready, 1,
				 __ATOMIC_RELEASE);
	return 0;
}

int serve_copy(pid_t program, const struct wanted *wanted, unsigned char *to, uint64_t *wrong)
{
	*wrong = wanted->body.stretch[0].start;
	return cape_remote_read(program, wanted->body.stretch, wanted->stretches, to, wrong);
}

void serve_trim(struct cape_channel *channel, uint64_t *kept)
{
	if (*kept <= PAGES_KEPT || __atomic_load_n(&channel->fetch.served, __ATOMIC_ACQUIRE))
		return;
	madvise(cape_channel_served_page(channel, PAGES_KEPT),
		(*kept - PAGES_KEPT) * CAPE_FETCH_PAGE, MADV_REMOVE);
	*kept = PAGES_KEPT;
}

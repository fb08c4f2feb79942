// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * serve.c - reads pages of a program that computes on, and tells it who has what.
 */
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* Pages whose memory is kept for those that are served next. */
#define PAGES_KEPT 4096

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

/* Bytes that were read, or -errno. */
static ssize_t read_stretches(pid_t program, const struct wanted *wanted, unsigned char *to)
{
	struct iovec there[CAPE_FETCH_STRETCHES];
	struct iovec here = {to, wanted->pages * CAPE_FETCH_PAGE};
	ssize_t got;

	for (uint32_t i = 0; i < wanted->stretches; i++)
		there[i] = (struct iovec){(void *)(uintptr_t)wanted->body.stretch[i].start,
					  size_of(&wanted->body.stretch[i])};
	got = process_vm_readv(program, &here, 1, there, wanted->stretches, 0);
	return got < 0 ? -errno : got;
}

/*
 * What the program has not used in this region is protected: the file of its memory passes that.
 * The first GOT bytes are there.  0, or -errno of the page *WRONG.
 */
static int read_protected(pid_t program, const struct wanted *wanted, unsigned char *to,
			  uint64_t got, uint64_t *wrong)
{
	char name[32];
	int file, error = 0;

	snprintf(name, sizeof(name), "/proc/%d/mem", (int)program);
	file = open(name, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -errno;
	for (uint32_t i = 0; i < wanted->stretches && !error; i++) {
		const struct cape_range *stretch = &wanted->body.stretch[i];
		uint64_t size = size_of(stretch);
		uint64_t skip = got < size ? got & -CAPE_FETCH_PAGE : size;
		ssize_t more;

		got -= got < size ? got : size;
		more = skip == size ? 0
				    : pread(file, to + skip, size - skip,
					    (off_t)(stretch->start + skip));
		if (more != (ssize_t)(size - skip)) {
			error = more < 0 && errno != EIO ? -errno : -EFAULT;
			*wrong = stretch->start + skip +
				 (more > 0 ? (uint64_t)more & -CAPE_FETCH_PAGE : 0);
		}
		to += size;
	}
	close(file);
	return error;
}

int serve_read(struct cape_channel *channel, pid_t program, uint32_t reader,
	       const struct wanted *wanted, struct served *served)
{
	int64_t first = note(channel, reader, wanted);
	ssize_t got;
	int error;

	served->wrong = wanted->body.stretch[0].start;
	if (first < 0)
		return (int)first;
	served->entries = (uint64_t)first + wanted->pages;
	served->pages = cape_channel_served_page(channel, (uint64_t)first);
	got = read_stretches(program, wanted, served->pages);
	if (got != (ssize_t)(wanted->pages * CAPE_FETCH_PAGE)) {
		error = read_protected(program, wanted, served->pages, got > 0 ? (uint64_t)got : 0,
				       &served->wrong);
		if (error)
			return got == -ESRCH ? -ESRCH : error;
	}
	for (uint32_t i = 0; i < wanted->pages; i++)
		__atomic_store_n(&cape_channel_served(channel)[first + i].ready, 1,
				 __ATOMIC_RELEASE);
	return 0;
}

void serve_trim(struct cape_channel *channel, uint64_t *kept)
{
	if (*kept <= PAGES_KEPT || __atomic_load_n(&channel->fetch.served, __ATOMIC_ACQUIRE))
		return;
	madvise(cape_channel_served_page(channel, PAGES_KEPT),
		(*kept - PAGES_KEPT) * CAPE_FETCH_PAGE, MADV_REMOVE);
	*kept = PAGES_KEPT;
}

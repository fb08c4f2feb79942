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
#include "channel/fetch.h"

/* Pages whose memory is kept for those that are served next. */
#define PAGES_KEPT 4096

bool serve_are_pages(const struct wanted *wanted)
{
	return wanted->pages > 0 && wanted->pages <= CAPE_FETCH_PAGES &&
	       wanted->address % CAPE_FETCH_PAGE == 0 &&
	       wanted->address <= UINT64_MAX - wanted->pages * CAPE_FETCH_PAGE;
}

static bool has_version(const struct cape_channel *channel, uint64_t version)
{
	return __atomic_load_n(&channel->fetch.version, __ATOMIC_SEQ_CST) >= version;
}

bool serve_is_ready(struct cape_channel *channel, const struct wanted *wanted)
{
	if (has_version(channel, wanted->version))
		return true;
	/* Either the program sees that it is awaited, or this sees what it is awaited for. */
	__atomic_store_n(&channel->fetch.awaited, 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return has_version(channel, wanted->version);
}

/* Entries of the table, not ready yet.  The first of them, or -ENOSPC. */
static int64_t note(struct cape_channel *channel, uint32_t reader, const struct wanted *wanted)
{
	uint32_t first = __atomic_load_n(&channel->fetch.served, __ATOMIC_ACQUIRE);

	do {
		if (first > CAPE_SERVED_LIMIT - wanted->pages)
			return -ENOSPC;
		for (uint32_t i = 0; i < wanted->pages; i++)
			cape_channel_served(channel)[first + i] = (struct cape_served){
				.address = wanted->address + i * CAPE_FETCH_PAGE,
				.reader = reader,
			};
	} while (!__atomic_compare_exchange_n(&channel->fetch.served, &first, first + wanted->pages,
					      false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE));
	return first;
}

/* What the program has not used in this region is protected: the file of its memory passes that. */
static ssize_t read_protected(pid_t program, const struct iovec *to, uint64_t address)
{
	char name[32];
	ssize_t got;
	int file, error;

	snprintf(name, sizeof(name), "/proc/%d/mem", (int)program);
	file = open(name, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -1;
	got = pread(file, to->iov_base, to->iov_len, (off_t)address);
	error = errno == EIO ? EFAULT : errno;
	close(file);
	errno = error;
	return got;
}

int serve_read(struct cape_channel *channel, pid_t program, uint32_t reader,
	       const struct wanted *wanted, struct served *served)
{
	size_t size = wanted->pages * CAPE_FETCH_PAGE;
	struct iovec here = {.iov_len = size};
	struct iovec there = {(void *)(uintptr_t)wanted->address, size};
	int64_t first = note(channel, reader, wanted);
	ssize_t got;

	served->wrong = wanted->address;
	if (first < 0)
		return (int)first;
	served->entries = (uint64_t)first + wanted->pages;
	served->pages = here.iov_base = cape_channel_served_page(channel, (uint64_t)first);
	got = process_vm_readv(program, &here, 1, &there, 1, 0);
	if (got != (ssize_t)size)
		got = read_protected(program, &here, wanted->address);
	if (got != (ssize_t)size) {
		served->wrong += got > 0 ? (uint64_t)got & -CAPE_FETCH_PAGE : 0;
		return got < 0 ? -errno : -EFAULT;
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

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * remote.c - by process_vm_readv(), and what is protected by the file of the program's memory.
 */
#include "channel/remote.h"

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "channel/fetch.h"
#include "system/libc.h"

static uint64_t length_of(const struct cape_range *stretch)
{
	return stretch->end - stretch->start;
}

/* Bytes that were read, or -errno. */
static int64_t read_stretches(pid_t program, const struct cape_range *stretch, uint32_t stretches,
			      unsigned char *to, uint64_t size)
{
	struct iovec there[CAPE_FETCH_STRETCHES];
	struct iovec here = {to, size};
	int64_t got;

	for (uint32_t i = 0; i < stretches; i++)
		there[i] =
			(struct iovec){(void *)(uintptr_t)stretch[i].start, length_of(&stretch[i])};
	got = syscall(SYS_process_vm_readv, program, &here, 1ul, there, (unsigned long)stretches,
		      0ul);
	return got < 0 ? -errno : got;
}

/* The file of the program's memory, or -errno. */
static int open_memory(pid_t program)
{
	char name[32];
	int file;

	snprintf(name, sizeof(name), "/proc/%d/mem", (int)program);
	file = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
	return file < 0 ? -errno : file;
}

/* Why a read gave so few BYTES.  Without a byte the file has ended, as the program has. */
static int error_of(ssize_t bytes)
{
	return bytes > 0 ? -EFAULT : bytes ? -errno : -ESRCH;
}

/*
 * What the program has not used in this region is protected: the file of its memory passes that.
 * The first GOT bytes are there.  0, or -errno of the page *WRONG.
 */
static int read_protected(pid_t program, const struct cape_range *stretch, uint32_t stretches,
			  unsigned char *to, uint64_t got, uint64_t *wrong)
{
	int file = open_memory(program), error = 0;

	if (file < 0)
		return file;
	for (uint32_t i = 0; i < stretches && !error; i++) {
		uint64_t size = length_of(&stretch[i]);
		uint64_t skip = got < size ? got & -CAPE_FETCH_PAGE : size;
		ssize_t more;

		got -= got < size ? got : size;
		more = skip == size ? 0
				    : pread(file, to + skip, size - skip,
					    (off_t)(stretch[i].start + skip));
		if (more != (ssize_t)(size - skip)) {
			error = error_of(more);
			if (error == -EIO)
				error = -EFAULT;
			*wrong = stretch[i].start + skip +
				 (more > 0 ? (uint64_t)more & -CAPE_FETCH_PAGE : 0);
		}
		to += size;
	}
	close(file);
	return error;
}

/* The COUNT pieces from number FIRST on, by the file of the program's memory. */
static int copy_protected(pid_t program, const struct cape_range *range, uint32_t first,
			  uint32_t count)
{
	int file = open_memory(program), error = 0;

	if (file < 0)
		return file;
	for (uint32_t i = first; i < count && !error; i++) {
		uint64_t size = length_of(&range[i]);
		ssize_t got =
			pread(file, (void *)(uintptr_t)range[i].start, size, (off_t)range[i].start);

		if (got != (ssize_t)size)
			error = error_of(got);
	}
	close(file);
	return error;
}

/*
 * What is between pieces that are near each other is read, too, and goes nowhere: the kernel looks
 * up the pages of each stretch of the other memory, which takes longer than to copy a few bytes.
 */
struct copying {
	struct iovec here[2 * CAPE_REMOTE_PIECES], there[CAPE_REMOTE_PIECES];
	unsigned long heres, theres;
	uint64_t size;
	char unused[CAPE_FETCH_PAGE];
};

static void add_bytes(struct copying *copying, void *here, uint64_t size)
{
	copying->here[copying->heres++] = (struct iovec){here, size};
	copying->size += size;
}

static void plan_copy(struct copying *copying, const struct cape_range *range, uint32_t count)
{
	struct iovec *last = copying->there;

	copying->heres = copying->theres = copying->size = 0;
	for (uint32_t i = 0; i < count; i++) {
		void *start = (void *)(uintptr_t)range[i].start;
		uint64_t size = length_of(&range[i]),
			 gap = i ? range[i].start - range[i - 1].end : 0;

		/* So both lie in pages of the one or of the other piece. */
		if (i && gap < CAPE_FETCH_PAGE) {
			if (gap)
				add_bytes(copying, copying->unused, gap);
			last->iov_len += gap + size;
		} else {
			last = &copying->there[copying->theres++];
			*last = (struct iovec){start, size};
		}
		add_bytes(copying, start, size);
	}
}

/* How many pieces are complete when GOT bytes have come. */
static uint32_t complete(const struct copying *copying, const struct cape_range *range,
			 uint32_t count, int64_t got)
{
	const struct iovec *here = copying->here;
	uint32_t pieces = 0;

	for (; pieces < count; here++) {
		got -= (int64_t)here->iov_len;
		if (got < 0)
			break;
		pieces += (uintptr_t)here->iov_base == range[pieces].start;
	}
	return pieces;
}

int cape_remote_copy(pid_t program, const struct cape_range *range, uint32_t count)
{
	struct copying copying;
	int64_t got;

	plan_copy(&copying, range, count);
	got = syscall(SYS_process_vm_readv, program, copying.here, copying.heres, copying.there,
		      copying.theres, 0ul);
	if (got == (int64_t)copying.size)
		return 0;
	if (got < 0 && errno == ESRCH)
		return -ESRCH;
	return copy_protected(program, range, complete(&copying, range, count, got), count);
}

int cape_remote_read(pid_t program, const struct cape_range *stretch, uint32_t stretches,
		     unsigned char *to, uint64_t *wrong)
{
	uint64_t size = 0;
	int64_t got;
	int error;

	for (uint32_t i = 0; i < stretches; i++)
		size += length_of(&stretch[i]);
	*wrong = stretch->start;
	got = read_stretches(program, stretch, stretches, to, size);
	if (got == (int64_t)size)
		return 0;
	error = read_protected(program, stretch, stretches, to, got > 0 ? (uint64_t)got : 0, wrong);
	return error && got == -ESRCH ? -ESRCH : error;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * present.c - the driver tells of what is locked, the file of what is shared, and /proc/PID/pagemap
 * of the rest.
 *
 * To read memory that was never touched would not only take long: it would make the kernel provide
 * it.
 */
#include "present.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "system/ranges.h"

#define PAGE	 4096u
#define ENTRIES	 8192	      /* of pagemap, at a time */
#define IS_THERE (3ull << 62) /* present or swapped out */

static int get_ranges(struct present *present)
{
	struct cape_status status = {0};

	if (ioctl(present->descriptor, CAPE_GET_STATUS, &status) < 0)
		return errno;
	if (status.range_count == 0)
		return 0;
	present->range = calloc(status.range_count, sizeof(*present->range));
	if (!present->range)
		return ENOMEM;
	status = (struct cape_status){
		.ranges = (uintptr_t)present->range,
		.range_capacity = status.range_count,
	};
	present->range_count = status.range_capacity;
	return ioctl(present->descriptor, CAPE_GET_STATUS, &status) < 0 ? errno : 0;
}

int present_open(struct present *present, int descriptor, pid_t pid, uint64_t epoch)
{
	char path[64];

	*present = (struct present){.descriptor = descriptor, .pid = pid, .epoch = epoch};
	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	present->pagemap = open(path, O_RDONLY | O_CLOEXEC);
	if (present->pagemap < 0)
		return errno;
	return get_ranges(present);
}

void present_close(struct present *present)
{
	if (present->pagemap >= 0)
		close(present->pagemap);
	free(present->range);
}

/* Up to where, and END at most, is the memory locked as it is at AT? */
static uint64_t end_of_piece(const struct present *present, uint64_t at, uint64_t end)
{
	for (uint32_t i = 0; i < present->range_count; i++) {
		const struct cape_extent *range = &present->range[i];

		if (at < range->start)
			return cape_least(end, range->start);
		if (at - range->start < range->length)
			return cape_least(end, range->start + range->length);
	}
	return end;
}

static bool is_locked(const struct present *present, uint64_t at)
{
	unsigned char byte;
	struct cape_read_epoch request = {
		.address = at,
		.length = 1,
		.buffer = (uintptr_t)&byte,
		.epoch = present->epoch,
	};

	return ioctl(present->descriptor, CAPE_READ_EPOCH, &request) == 0 || errno != EFAULT;
}

/* Where memory begins from FROM on or, with CAPE_SEEK_HOLE, ends; END if that is before.  An errno.
 */
static int seek(const struct present *present, uint64_t from, uint32_t flags, uint64_t end,
		uint64_t *found)
{
	struct cape_seek_epoch request = {
		.address = from,
		.epoch = present->epoch,
		.flags = flags,
	};

	*found = end;
	if (ioctl(present->descriptor, CAPE_SEEK_EPOCH, &request) < 0)
		return errno == ENXIO ? 0 : errno;
	*found = cape_least(request.address, end);
	return 0;
}

/* What there was of PART at first, in the epoch. */
static int look_into_epoch(const struct present *present, struct present_part *part)
{
	int error = seek(present, part->start, 0, part->end, &part->start);

	return error ? error : seek(present, part->start, CAPE_SEEK_HOLE, part->end, &part->end);
}

/* In a sparse file, where PART lies at OFFSET; PART becomes what there is at first. */
static int look_into_file(int file, uint64_t offset, struct present_part *part)
{
	const off_t first = (off_t)offset, last = (off_t)(offset + (part->end - part->start));
	off_t data = lseek(file, first, SEEK_DATA), hole;

	if (data < 0 && errno != ENXIO)
		return errno;
	if (data < 0 || data >= last) {
		part->start = part->end;
		return 0;
	}
	hole = lseek(file, data, SEEK_HOLE);
	if (hole < 0)
		return errno;
	/* A file is cut off where it likes. */
	hole = (hole + PAGE - 1) / PAGE * PAGE;
	part->end = part->start + (uint64_t)((hole < last ? hole : last) - first);
	part->start += (uint64_t)(data - first);
	return 0;
}

/* Shared memory that has no name in the file system any more is a file in memory. */
static int look_into_shared(const struct present *present, const struct maps_line *line,
			    struct present_part *part)
{
	struct stat status;
	char path[96];
	int file, error;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, present->pid,
		 line->start, line->end);
	if (stat(path, &status) < 0)
		return errno;
	if (!S_ISREG(status.st_mode))
		return EINVAL;
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return errno;
	error = look_into_file(file, line->offset + (part->start - line->start), part);
	close(file);
	return error;
}

/* What the process has pages of now. */
static int look_into_pagemap(const struct present *present, struct present_part *part)
{
	static uint64_t entry[ENTRIES];
	const uint64_t most = cape_least((part->end - part->start) / PAGE, ENTRIES);
	const ssize_t got = pread(present->pagemap, entry, most * sizeof(entry[0]),
				  (off_t)(part->start / PAGE * sizeof(entry[0])));
	const size_t count = got > 0 ? (size_t)got / sizeof(entry[0]) : 0;
	const uint64_t start = part->start;
	size_t first = 0, last;

	if (count == 0)
		return got < 0 ? errno : ESRCH;
	while (first < count && !(entry[first] & IS_THERE))
		first++;
	for (last = first; last < count && entry[last] & IS_THERE; last++)
		;
	*part = (struct present_part){start + first * PAGE, start + last * PAGE};
	return 0;
}

/* Is it a file's memory, of which also what nobody has looked at yet may be anything? */
static bool is_file(const struct maps_line *line)
{
	return line->name[0] == '/' && strncmp(line->name, "/anon_hugepage", 14) != 0 &&
	       strncmp(line->name, "/dev/zero", 9) != 0;
}

int present_next(const struct present *present, const struct maps_line *line, uint64_t at,
		 struct present_part *part)
{
	*part = (struct present_part){at, end_of_piece(present, at, line->end)};
	/* What is the kernel's own is small. */
	if (line->name[0] == '[' && line->name[1] == 'v')
		return 0;
	if (is_locked(present, at))
		return look_into_epoch(present, part);
	if (line->protection[3] == 's' && look_into_shared(present, line, part) == 0)
		return 0;
	if (line->protection[3] == 'p' && is_file(line))
		return 0;
	return look_into_pagemap(present, part);
}

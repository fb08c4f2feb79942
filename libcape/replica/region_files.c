/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * region_files.c - what a region did to files: collected from all nodes, and settled on all.
 */
#include "replica/region_files.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include "system/libc.h"
#include "system/own_status.h"
#include "message/one_truth.h"
#include "base/context.h"
#include "replica/open_files.h"

#define PIECE (256ul << 10)
/* Two nodes have given it to different files, which stay their own. */
#define OPENED_TWICE UINT32_MAX

void cape_region_files_note_own(struct cape_runtime *runtime)
{
	struct cape_open_files *files = runtime->files;
	char name[64];

	for (int i = 0; i < files->end; i++) {
		struct cape_file_change *change = &files->file[i].change;
		ssize_t length;

		if (files->file[i].kind != CAPE_OPEN_OWN || !cape_open_files_is_still(files, i))
			continue;
		snprintf(name, sizeof(name), "/proc/self/fd/%d", i);
		length = syscall(SYS_readlink, name, change->path, sizeof(change->path));
		if (length >= (ssize_t)sizeof(change->path))
			cape_fail(
				runtime, 0,
				"node %u: file descriptor %d was opened in the region and is still "
				"open, by a path of more than %zu bytes; close it in the region, "
				"or "
				"open it before",
				runtime->node, i, sizeof(change->path) - 1);
		if (length <= 0)
			continue;
		change->path[length] = '\0';
		change->flags = fcntl(i, F_GETFL);
		change->place = lseek(i, 0, SEEK_CUR);
		change->opened = runtime->node + 1;
		change->any = 1;
		files->changed = true;
	}
}

static uint64_t count_changes(const struct cape_open_files *files)
{
	uint64_t count = 0;

	for (int i = 0; files->changed && i < files->end; i++)
		count += files->file[i].change.any;
	return count;
}

uint64_t cape_region_files_size(const struct cape_runtime *runtime)
{
	return count_changes(runtime->files) * sizeof(struct cape_file_change);
}

void cape_region_files_put(const struct cape_runtime *runtime, unsigned char *to)
{
	const struct cape_open_files *files = runtime->files;

	for (int i = 0; files->changed && i < files->end; i++) {
		if (!files->file[i].change.any)
			continue;
		memcpy(to, &files->file[i].change, sizeof(struct cape_file_change));
		to += sizeof(struct cape_file_change);
	}
}

static void unite(struct cape_file_change *all, const struct cape_file_change *one)
{
	if (one->to) {
		all->from = all->to && all->from < one->from ? all->from : one->from;
		all->to = all->to > one->to ? all->to : one->to;
	}
	if (one->close > all->close)
		all->close = one->close;
	if (one->opened && all->opened && one->opened != all->opened) {
		all->opened = OPENED_TWICE;
	} else if (one->opened) {
		all->opened = one->opened;
		all->flags = one->flags;
		all->place = one->place;
		memcpy(all->path, one->path, sizeof(all->path));
	}
	all->descriptor = one->descriptor;
	all->any = 1;
}

void cape_region_files_take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size,
			    unsigned node)
{
	struct cape_open_files *files = runtime->files;
	struct cape_file_change change;

	for (; size >= sizeof(change); from += sizeof(change), size -= sizeof(change)) {
		memcpy(&change, from, sizeof(change));
		if (change.descriptor < 0 || change.descriptor >= CAPE_DESCRIPTORS_LIMIT)
			break;
		if (change.descriptor >= files->end)
			files->end = (int)change.descriptor + 1;
		unite(&files->file[change.descriptor].change, &change);
		files->changed = true;
	}
	if (size)
		cape_fail(runtime, 0, "what node %u did to files is malformed", node);
}

/* Node 0's end of a file, for all. */
struct settled {
	off_t place, size;
	int reader; /* node 0's: the file once more, for reading; below 0: cannot be read */
};

static struct settled look(struct cape_runtime *runtime, int descriptor)
{
	struct settled settled = {-1, -1, -1};
	struct stat status;
	char path[64];

	if (runtime->node == 0) {
		settled.place = lseek(descriptor, 0, SEEK_CUR);
		if (cape_own_status(descriptor, &status) == 0)
			settled.size = status.st_size;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
		settled.reader = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	}
	cape_one_truth(runtime, &settled, sizeof(settled), "files that a region wrote");
	return settled;
}

/* Bytes FROM .. TO - 1 of node 0's file for the others' copies. */
static void copy_bytes(struct cape_runtime *runtime, int descriptor, int reader, uint64_t from,
		       uint64_t to)
{
	unsigned char *piece = runtime->files->waiting;

	while (from < to) {
		uint64_t size = to - from < PIECE ? to - from : PIECE;

		if (runtime->node == 0) {
			ssize_t got = pread(reader, piece, size, (off_t)from);

			if (got < (ssize_t)size)
				memset(piece + (got > 0 ? got : 0), 0,
				       size - (uint64_t)(got > 0 ? got : 0));
		}
		cape_one_truth(runtime, piece, size, "files that a region wrote");
		if (runtime->node > 0 &&
		    pwrite(descriptor, piece, size, (off_t)from) != (ssize_t)size)
			cape_fail(runtime, 0, "node %u: no memory for a copy of file descriptor %d",
				  runtime->node, descriptor);
		from += size;
	}
}

/* A copy that appends would write at its end, whatever the offset. */
static void fill_copy(struct cape_runtime *runtime, int descriptor, struct settled settled,
		      const struct cape_file_change *change)
{
	uint64_t size = settled.size > 0 ? (uint64_t)settled.size : 0;
	int flags = runtime->node > 0 ? fcntl(descriptor, F_GETFL) : 0;

	if (runtime->node > 0 && (flags & O_APPEND))
		fcntl(descriptor, F_SETFL, flags & ~O_APPEND);
	copy_bytes(runtime, descriptor, settled.reader, change->from,
		   change->to < size ? change->to : size);
	if (runtime->node > 0) {
		syscall(SYS_ftruncate, descriptor, size);
		if (flags & O_APPEND)
			fcntl(descriptor, F_SETFL, flags);
	}
}

static void settle(struct cape_runtime *runtime, int descriptor)
{
	struct cape_open_file *file = &runtime->files->file[descriptor];
	struct settled settled;

	if (file->kind == CAPE_OPEN_STREAM)
		return;
	settled = look(runtime, descriptor);
	if (file->kind == CAPE_OPEN_COPY && file->change.to && settled.reader >= 0)
		fill_copy(runtime, descriptor, settled, &file->change);
	if (runtime->node > 0 && settled.place >= 0)
		lseek(descriptor, settled.place, SEEK_SET);
	if (runtime->node == 0 && settled.reader >= 0)
		close(settled.reader);
}

static void put_at(int file, int descriptor)
{
	if (file == descriptor)
		return;
	dup2(file, descriptor);
	close(file);
}

/* Node 0: the file that another node has opened, under the same number. */
static void open_at_master(struct cape_runtime *runtime, int descriptor,
			   const struct cape_file_change *change)
{
	int file;

	if (change->opened == 1)
		return;
	file = (int)syscall(SYS_openat, AT_FDCWD, change->path, change->flags | O_CLOEXEC, 0);
	if (file < 0)
		cape_fail(runtime, 0,
			  "node 0: cannot open '%s', which node %u has opened in a region and not "
			  "closed: %s",
			  change->path, change->opened - 1, strerror(errno));
	put_at(file, descriptor);
	lseek(descriptor, change->place, SEEK_SET);
}

/* Others: the file, if it is only read, or a copy, which is filled later. */
static void open_at_other(struct cape_runtime *runtime, int descriptor,
			  const struct cape_file_change *change, bool copy)
{
	int file = copy ? cape_open_files_make_copy(change->path, MFD_CLOEXEC)
			: (int)syscall(SYS_openat, AT_FDCWD, change->path, O_RDONLY | O_CLOEXEC, 0);

	if (file < 0)
		cape_fail(runtime, 0,
			  "node %u: cannot open '%s', which node %u has opened in a region and not "
			  "closed: %s",
			  runtime->node, change->path, change->opened - 1, strerror(errno));
	put_at(file, descriptor);
	if (change->flags & O_APPEND)
		fcntl(descriptor, F_SETFL, O_APPEND);
}

/* What a node has opened and not closed is open on all nodes from now on. */
static void open_everywhere(struct cape_runtime *runtime, int descriptor)
{
	struct cape_open_files *files = runtime->files;
	struct cape_file_change change = files->file[descriptor].change;
	bool copy = (change.flags & O_ACCMODE) != O_RDONLY;
	struct stat status = {.st_ino = 0};

	if (runtime->node == 0) {
		open_at_master(runtime, descriptor, &change);
		cape_own_status(descriptor, &status);
	}
	cape_one_truth(runtime, &status, sizeof(status), "files that a region opened");
	if (runtime->node > 0)
		open_at_other(runtime, descriptor, &change, copy);
	cape_open_files_add(runtime, descriptor, copy ? CAPE_OPEN_COPY : CAPE_OPEN_READ, &status);
	files->wrote |= copy;
	files->read |= !copy;
	if (copy) {
		cape_open_files_share(runtime, descriptor, 0);
		change.to = INT64_MAX;
	}
	change.from = 0;
	files->file[descriptor].change = change;
}

static void open_all(struct cape_runtime *runtime)
{
	struct cape_open_files *files = runtime->files;

	for (int i = 0; i < files->end; i++) {
		struct cape_open_file *file = &files->file[i];

		if (file->kind == CAPE_OPEN_OWN || file->kind == CAPE_OPEN_UNKNOWN)
			file->kind = CAPE_OPEN_NOT;
		if (file->change.opened && file->change.opened != OPENED_TWICE)
			open_everywhere(runtime, i);
	}
}

void cape_region_files_settle(struct cape_runtime *runtime)
{
	struct cape_open_files *files = runtime->files;
	int saved_errno = errno;

	if (!files->changed)
		return;
	open_all(runtime);
	for (int i = 0; i < files->end; i++)
		if (files->file[i].kind && files->file[i].change.any)
			settle(runtime, i);
	for (int i = 0; i < files->end; i++) {
		uint64_t closing = files->file[i].kind ? files->file[i].change.close : 0;

		if (closing > 1)
			fclose((FILE *)(uintptr_t)closing);
		else if (closing)
			close(i);
		if (closing)
			files->file[i].kind = CAPE_OPEN_NOT;
	}
	files->changed = false;
	errno = saved_errno;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * open_files.c - the table of open files, and their settling behind a region.
 */
#include "replica/open_files.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include "system/libc.h"
#include "system/own_status.h"
#include "message/one_truth.h"
#include "base/context.h"

static void start(struct cape_runtime *runtime)
{
	struct cape_open_files *files = runtime->files;

	files->file = cape_must_reserve(runtime, CAPE_DESCRIPTORS_LIMIT * sizeof(*files->file));
	files->waiting = cape_must_reserve(runtime, CAPE_WAITING_LIMIT);
}

CAPE_PART_OF_NODES(files, start);

#define PIECE (256ul << 10)
/* Two nodes have given it to different files, which stay their own. */
#define CAPE_OPENED_TWICE UINT32_MAX

/* Where there is no number for it, writes of several nodes in no order may go on as one. */
void cape_open_files_hold(struct cape_runtime *runtime, int descriptor)
{
	struct cape_open_file *file = cape_open_files_find(runtime, descriptor);
	int saved_errno = errno, held;

	if (runtime->node > 0 || !file || file->held || file->kind == CAPE_OPEN_STREAM)
		return;
	held = fcntl(descriptor, F_DUPFD_CLOEXEC, CAPE_LAST_FD + 1);
	file->held = held > 0 ? held : 0;
	runtime->files->holds = true;
	errno = saved_errno;
}

bool cape_open_files_is_held(const struct cape_runtime *runtime, int descriptor)
{
	const struct cape_open_files *files = runtime->files;

	for (int i = 0; i < files->end; i++)
		if (files->file[i].held == descriptor)
			return true;
	return false;
}

static void release(struct cape_open_file *file)
{
	if (file->held)
		close(file->held);
	file->held = 0;
}

void cape_open_files_add(struct cape_runtime *runtime, int descriptor, enum cape_open_kind kind,
			 const struct stat *file)
{
	struct cape_open_files *files = runtime->files;
	struct stat status;

	if (descriptor >= CAPE_DESCRIPTORS_LIMIT)
		cape_fail(runtime, 0, "file descriptor %d: CAPE knows those below %d only",
			  descriptor, CAPE_DESCRIPTORS_LIMIT);
	if (descriptor < 0 || cape_own_status(descriptor, &status) < 0)
		return;
	if (descriptor >= files->end)
		files->end = descriptor + 1;
	release(&files->file[descriptor]);
	files->file[descriptor] = (struct cape_open_file){.kind = kind, .inode = status.st_ino};
	if (!file)
		file = &status;
	files->file[descriptor].device_of_file = file->st_dev;
	files->file[descriptor].inode_of_file = file->st_ino;
}

void cape_open_files_share(struct cape_runtime *runtime, int descriptor, uint64_t credit)
{
	struct cape_open_file *file = cape_open_files_find(runtime, descriptor);

	if (!file)
		return;
	file->common = true;
	file->credit = credit;
}

#define COPY_NAME 200 /* bytes; the kernel takes 249 */

int cape_open_files_make_copy(const char *path, unsigned flags)
{
	size_t length = strlen(path);

	return memfd_create(path + (length > COPY_NAME ? length - COPY_NAME : 0), flags);
}

void cape_open_files_name(struct cape_runtime *runtime, int descriptor, char name[CAPE_OPEN_NAME])
{
	const struct cape_open_file *file = cape_open_files_find(runtime, descriptor);
	static const char memory[] = "/memfd:", deleted[] = " (deleted)";
	size_t start = sizeof(memory) - 1, end = sizeof(deleted) - 1;
	ssize_t length = 0;
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
	/* Where node 0 has a pipe others have nothing. */
	if (runtime->node == 0 || (file && file->kind != CAPE_OPEN_STREAM))
		length = syscall(SYS_readlink, link, name, CAPE_OPEN_NAME - 1);
	if (length <= 0)
		length = snprintf(name, CAPE_OPEN_NAME, "file descriptor %d", descriptor);
	name[length] = '\0';
	if ((size_t)length <= start + end || memcmp(name, memory, start) != 0)
		return;
	length -= (ssize_t)(start + end);
	memmove(name, name + start, (size_t)length);
	name[length] = '\0';
}

/* Each node its own numbers, so that one means the same file on all. */
static int move(struct cape_runtime *runtime, int descriptor)
{
	int span = (CAPE_OWN_DESCRIPTORS_END - CAPE_OWN_DESCRIPTORS) / (int)runtime->nodes;
	int low = CAPE_OWN_DESCRIPTORS + (int)runtime->node * span;
	int close_at_exec = fcntl(descriptor, F_GETFD) & FD_CLOEXEC, moved;

	moved = fcntl(descriptor, close_at_exec ? F_DUPFD_CLOEXEC : F_DUPFD, low);
	if (moved >= low + span) {
		close(moved);
		moved = -1;
	}
	if (moved < 0)
		return descriptor;
	close(descriptor);
	return moved;
}

int cape_open_files_add_own(struct cape_runtime *runtime, int descriptor)
{
	int saved_errno = errno;
	struct stat status;

	if (descriptor < 0 || cape_own_status(descriptor, &status) < 0 || !S_ISREG(status.st_mode))
		return descriptor;
	if (runtime->node > 0)
		descriptor = move(runtime, descriptor);
	cape_open_files_add(runtime, descriptor, CAPE_OPEN_OWN, NULL);
	runtime->files->file[descriptor].change.descriptor = descriptor;
	cape_open_files_hold(runtime, descriptor);
	errno = saved_errno;
	return descriptor;
}

void cape_open_files_add_foreign(struct cape_runtime *runtime, int descriptor)
{
	struct cape_open_files *files = runtime->files;

	if (descriptor >= files->end)
		files->end = descriptor + 1;
	files->file[descriptor] =
		(struct cape_open_file){.kind = CAPE_OPEN_FOREIGN, .change.descriptor = descriptor};
}

void cape_open_files_remove(struct cape_runtime *runtime, int descriptor)
{
	struct cape_open_files *files = runtime->files;

	if (descriptor >= 0 && descriptor < files->end) {
		files->file[descriptor].kind = CAPE_OPEN_NOT;
		release(&files->file[descriptor]);
	}
	if (descriptor >= 0 && descriptor < files->late_end)
		files->file[descriptor].late_error = 0;
}

void cape_open_files_copy(struct cape_runtime *runtime, int from, int to)
{
	struct cape_open_file *known = cape_open_files_find(runtime, from);
	struct cape_open_files *files = runtime->files;

	cape_open_files_remove(runtime, to);
	if (!known || to < 0 || to >= CAPE_DESCRIPTORS_LIMIT)
		return;
	if (to >= files->end)
		files->end = to + 1;
	files->file[to] = *known;
	files->file[to].held = 0;
	files->file[to].change.descriptor = to;
}

struct cape_open_file *cape_open_files_find(struct cape_runtime *runtime, int descriptor)
{
	struct cape_open_files *files = runtime->files;

	if (descriptor < 0 || descriptor >= files->end || !files->file[descriptor].kind)
		return NULL;
	return &files->file[descriptor];
}

static bool is_still(const struct cape_open_files *files, int descriptor)
{
	const struct cape_open_file *file = &files->file[descriptor];
	struct stat status;

	return file->kind && cape_own_status(descriptor, &status) == 0 &&
	       status.st_ino == file->inode;
}

bool cape_open_files_has(const struct cape_runtime *runtime, enum cape_open_kind kind)
{
	const struct cape_open_files *files = runtime->files;

	for (int i = 0; i < files->end; i++)
		if (files->file[i].kind == kind)
			return true;
	return false;
}

static int find_file(const struct cape_open_files *files, enum cape_open_kind kind,
		     const struct stat *file)
{
	for (int i = 0; i < files->end; i++)
		if (files->file[i].kind == kind && files->file[i].device_of_file == file->st_dev &&
		    files->file[i].inode_of_file == file->st_ino && is_still(files, i))
			return i;
	return -1;
}

int cape_open_files_reader_of(struct cape_runtime *runtime, const struct stat *file)
{
	return find_file(runtime->files, CAPE_OPEN_READ, file);
}

int cape_open_files_copy_of(struct cape_runtime *runtime, const struct stat *file)
{
	return find_file(runtime->files, CAPE_OPEN_COPY, file);
}

uint32_t cape_open_files_mark(void)
{
	uint64_t mark = 0;
	int saved_errno = errno;

	for (int i = 0; i < CAPE_CHANNEL_FD; i++)
		if (fcntl(i, F_GETFD) >= 0)
			mark = (mark ^ (uint64_t)(i + 1)) * 0x9e3779b97f4a7c15u;
	errno = saved_errno;
	return (uint32_t)(mark >> 32);
}

void cape_open_files_enter(struct cape_runtime *runtime)
{
	struct cape_open_files *files = runtime->files;
	int saved_errno = errno;

	for (int i = 0; i < files->end; i++) {
		if (!is_still(files, i))
			files->file[i].kind = CAPE_OPEN_NOT;
		files->file[i].change = (struct cape_file_change){.descriptor = i};
	}
	while (files->end && !files->file[files->end - 1].kind)
		files->end--;
	files->changed = files->asked = false;
	errno = saved_errno;
}

void cape_open_files_note_own(struct cape_runtime *runtime)
{
	struct cape_open_files *files = runtime->files;
	char name[64];

	for (int i = 0; i < files->end; i++) {
		struct cape_file_change *change = &files->file[i].change;
		ssize_t length;

		if (files->file[i].kind != CAPE_OPEN_OWN || !is_still(files, i))
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

uint64_t cape_open_files_size(const struct cape_runtime *runtime)
{
	return count_changes(runtime->files) * sizeof(struct cape_file_change);
}

void cape_open_files_put(const struct cape_runtime *runtime, unsigned char *to)
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
		all->opened = CAPE_OPENED_TWICE;
	} else if (one->opened) {
		all->opened = one->opened;
		all->flags = one->flags;
		all->place = one->place;
		memcpy(all->path, one->path, sizeof(all->path));
	}
	all->descriptor = one->descriptor;
	all->any = 1;
}

void cape_open_files_take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size,
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

		if (file->kind == CAPE_OPEN_OWN || file->kind == CAPE_OPEN_FOREIGN)
			file->kind = CAPE_OPEN_NOT;
		if (file->change.opened && file->change.opened != CAPE_OPENED_TWICE)
			open_everywhere(runtime, i);
	}
}

void cape_open_files_leave(struct cape_runtime *runtime)
{
	struct cape_open_files *files = runtime->files;
	int saved_errno = errno;

	for (int i = 0; files->holds && i < files->end; i++)
		release(&files->file[i]);
	files->holds = false;
	errno = saved_errno;
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

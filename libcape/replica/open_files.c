/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * open_files.c - the table of open files.
 */
#include "replica/open_files.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include "system/libc.h"
#include "system/own_status.h"
#include "base/context.h"
#include "base/ordering.h"

static void start(struct cape_runtime *runtime)
{
	struct cape_open_files *files = runtime->files;

	files->file = cape_must_reserve(runtime, CAPE_DESCRIPTORS_LIMIT * sizeof(*files->file));
	files->waiting = cape_must_reserve(runtime, CAPE_WAITING_LIMIT);
	files->held_stream = cape_must_reserve(runtime, CAPE_DESCRIPTORS_LIMIT * sizeof(FILE *));
	files->stream_lock =
		cape_must_reserve(runtime, CAPE_DESCRIPTORS_LIMIT * sizeof(*files->stream_lock));
}

CAPE_PART_OF_NODES(files, start);

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
	runtime->ordering->lock(runtime);
	if (runtime->node > 0)
		descriptor = move(runtime, descriptor);
	cape_open_files_add(runtime, descriptor, CAPE_OPEN_OWN, NULL);
	runtime->files->file[descriptor].change.descriptor = descriptor;
	cape_open_files_hold(runtime, descriptor);
	runtime->ordering->unlock(runtime);
	errno = saved_errno;
	return descriptor;
}

void cape_open_files_add_unknown(struct cape_runtime *runtime, int descriptor)
{
	struct cape_open_files *files = runtime->files;

	if (descriptor >= files->end)
		files->end = descriptor + 1;
	files->file[descriptor] =
		(struct cape_open_file){.kind = CAPE_OPEN_UNKNOWN, .change.descriptor = descriptor};
}

void cape_open_files_remove(struct cape_runtime *runtime, int descriptor)
{
	struct cape_open_files *files = runtime->files;

	if (descriptor < 0)
		return;
	runtime->ordering->lock(runtime);
	if (descriptor < files->end) {
		files->file[descriptor].kind = CAPE_OPEN_NOT;
		release(&files->file[descriptor]);
	}
	if (descriptor < files->late_end)
		files->file[descriptor].late_error = 0;
	runtime->ordering->unlock(runtime);
}

void cape_open_files_copy(struct cape_runtime *runtime, int from, int to)
{
	struct cape_open_files *files = runtime->files;
	struct cape_open_file *known;

	runtime->ordering->lock(runtime);
	known = cape_open_files_find(runtime, from);
	cape_open_files_remove(runtime, to);
	if (known && to >= 0 && to < CAPE_DESCRIPTORS_LIMIT) {
		if (to >= files->end)
			files->end = to + 1;
		files->file[to] = *known;
		files->file[to].held = 0;
		files->file[to].change.descriptor = to;
	}
	runtime->ordering->unlock(runtime);
}

struct cape_open_file *cape_open_files_find(struct cape_runtime *runtime, int descriptor)
{
	struct cape_open_files *files = runtime->files;

	if (descriptor < 0 || descriptor >= files->end || !files->file[descriptor].kind)
		return NULL;
	return &files->file[descriptor];
}

bool cape_open_files_is_still(const struct cape_open_files *files, int descriptor)
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
		    files->file[i].inode_of_file == file->st_ino &&
		    cape_open_files_is_still(files, i))
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

	for (int i = 0; i < CAPE_FIRST_FD; i++)
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
		if (!cape_open_files_is_still(files, i))
			files->file[i].kind = CAPE_OPEN_NOT;
		files->file[i].change = (struct cape_file_change){.descriptor = i};
	}
	while (files->end && !files->file[files->end - 1].kind)
		files->end--;
	files->changed = files->asked = false;
	errno = saved_errno;
}

void cape_open_files_leave(struct cape_runtime *runtime)
{
	struct cape_open_files *files = runtime->files;
	int saved_errno = errno;

	for (int i = 0; files->holds && i < files->end; i++)
		release(&files->file[i]);
	files->holds = false;
	errno = saved_errno;
}

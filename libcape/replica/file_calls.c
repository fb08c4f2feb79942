/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * file_calls.c - read(), write(), lseek() and their like, in the place of the C library's.
 *
 * In a region, on a file that was opened before it, they work on node 0's description.  A pipe or
 * random device that sequential code reads is read by node 0 for all.
 */
#include "replica/file_calls.h"

#include <errno.h>
#include <sys/syscall.h>
#include "system/libc.h"
#include "replica/description.h"
#include "system/own_status.h"
#include "memory/frame.h"
#include "message/one_truth.h"
#include "need/need.h"
#include "replica/open_files.h"
#include "replica/output.h"

static bool is_read_by_master(struct cape_runtime *runtime, int descriptor)
{
	const struct cape_open_file *file;

	if (!runtime->files->end || !cape_is_replicated(runtime))
		return false;
	file = cape_open_files_find(runtime, descriptor);
	return file && file->kind == CAPE_OPEN_STREAM;
}

/* What node 0 prints in sequential code comes before. */
static bool is_printed(const struct cape_runtime *runtime, int descriptor)
{
	return (descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO) &&
	       cape_is_concurrent(runtime);
}

bool cape_file_is_plain(int descriptor)
{
	struct cape_runtime *runtime = cape_runtime_get();

	return !cape_is_shared_file(runtime, descriptor) &&
	       !is_read_by_master(runtime, descriptor) && !is_printed(runtime, descriptor);
}

/* At OFFSET, or below 0 wherever it is. */
static __attribute__((noinline)) ssize_t read_for_all(struct cape_runtime *runtime, int descriptor,
						      void *to, size_t size, off_t offset)
{
	struct {
		ssize_t got;
		int error;
	} outcome = {0, 0};

	if (runtime->node == 0) {
		outcome.got = offset < 0 ? read(descriptor, to, size)
					 : pread(descriptor, to, size, offset);
		outcome.error = errno;
	}
	cape_one_truth(runtime, &outcome, sizeof(outcome), "read()");
	if (outcome.got > 0)
		cape_one_truth(runtime, to, (size_t)outcome.got, "read()");
	if (outcome.got < 0)
		errno = outcome.error;
	return outcome.got;
}

ssize_t cape_file_read(int descriptor, void *to, size_t size)
{
	struct cape_runtime *runtime = cape_runtime_get();
	ssize_t got;

	cape_need_touch(to, size);
	if (cape_is_shared_file(runtime, descriptor))
		return cape_description_read(runtime, descriptor, to, size);
	if (!is_read_by_master(runtime, descriptor))
		return read(descriptor, to, size);
	got = read_for_all(runtime, descriptor, to, size, -1);
	cape_frame_wipe();
	return got;
}

ssize_t cape_file_write(int descriptor, const void *from, size_t size)
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_need_touch(from, size);
	if (cape_is_shared_file(runtime, descriptor))
		return cape_description_write(runtime, descriptor, from, size);
	if (is_printed(runtime, descriptor))
		cape_description_await_master(runtime);
	return write(descriptor, from, size);
}

/* Where node 0 prints to a pipe others have /dev/null, which is always at its start. */
static __attribute__((noinline)) off_t as_printed(struct cape_runtime *runtime, int descriptor,
						  off_t offset)
{
	if (offset != 0 || !cape_output_is_nowhere(runtime, descriptor))
		return offset;
	errno = ESPIPE;
	return -1;
}

off_t cape_file_seek(int descriptor, off_t offset, int whence)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (cape_is_shared_file(runtime, descriptor))
		return cape_description_seek(runtime, descriptor, offset, whence);
	offset = lseek(descriptor, offset, whence);
	if (offset > 0 || !cape_is_replicated(runtime))
		return offset;
	offset = as_printed(runtime, descriptor, offset);
	cape_frame_wipe();
	return offset;
}

int cape_file_close(int descriptor)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (cape_is_shared_file(runtime, descriptor)) {
		cape_description_close(runtime, descriptor, NULL);
		return 0;
	}
	cape_open_files_remove(runtime, descriptor);
	return close(descriptor);
}

int cape_file_status(int descriptor, struct stat *status)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_service_request request = {.a = CAPE_FILE_STATUS};

	cape_need_touch(status, sizeof(*status));
	if (!cape_is_shared_file(runtime, descriptor))
		return cape_own_status(descriptor, status);
	return (int)cape_description_do(runtime, descriptor, request, status);
}

ssize_t cape_file_read_at(int descriptor, void *to, size_t size, off_t offset)
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_need_touch(to, size);
	if (offset >= 0 && is_read_by_master(runtime, descriptor)) {
		ssize_t got = read_for_all(runtime, descriptor, to, size, offset);

		cape_frame_wipe();
		return got;
	}
	if (!cape_is_shared_file(runtime, descriptor) ||
	    cape_open_files_find(runtime, descriptor)->kind == CAPE_OPEN_READ)
		return pread(descriptor, to, size, offset);
	return cape_description_read_at(runtime, descriptor, to, size, offset);
}

ssize_t cape_file_write_at(int descriptor, const void *from, size_t size, off_t offset)
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_need_touch(from, size);
	if (!cape_is_shared_file(runtime, descriptor))
		return pwrite(descriptor, from, size, offset);
	return cape_description_write_at(runtime, descriptor, from, size, offset);
}

static int copy_descriptor(struct cape_runtime *runtime, int from, int to)
{
	if (to >= 0)
		cape_open_files_copy(runtime, from, to);
	return to;
}

static void refuse_shared(struct cape_runtime *runtime, int descriptor, const char *why)
{
	if (cape_is_shared_file(runtime, descriptor))
		cape_fail(
			runtime, 0,
			"node %u: at or after %.200s:%d: file descriptor %d was opened before the "
			"region, and cannot be %s in it",
			runtime->node, runtime->channel->state.file, runtime->channel->state.line,
			descriptor, why);
}

int cape_file_duplicate(int descriptor, int command, int to, int flags)
{
	struct cape_runtime *runtime = cape_runtime_get();

	refuse_shared(runtime, descriptor, "duplicated");
	if (command < 0)
		refuse_shared(runtime, to, "replaced");
	if (command >= 0)
		return copy_descriptor(runtime, descriptor, fcntl(descriptor, command, to));
	if (flags < 0)
		return copy_descriptor(runtime, descriptor, dup2(descriptor, to));
	return copy_descriptor(runtime, descriptor, (int)syscall(SYS_dup3, descriptor, to, flags));
}

int cape_file_change(int descriptor, struct cape_service_request request)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (cape_is_shared_file(runtime, descriptor))
		return (int)cape_description_do(runtime, descriptor, request, NULL);
	switch (request.a) {
	case CAPE_FILE_TRUNCATE:
		return (int)syscall(SYS_ftruncate, descriptor, request.b);
	case CAPE_FILE_ALLOCATE:
		return (int)syscall(SYS_fallocate, descriptor, request.d, request.b, request.c);
	default:
		return (int)syscall(SYS_fsync, descriptor);
	}
}

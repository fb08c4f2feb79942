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
#include <sys/uio.h>
#include "base/ordering.h"
#include "system/libc.h"
#include "replica/description.h"
#include "replica/files.h"
#include "system/own_status.h"
#include "message/one_truth.h"
#include "need/need.h"
#include "replica/open_files.h"
#include "replica/outcomes.h"
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

static bool has_copy(struct cape_runtime *runtime, int descriptor)
{
	const struct cape_open_file *file = cape_open_files_find(runtime, descriptor);

	return file && file->kind == CAPE_OPEN_COPY;
}

static void fail_copy(struct cape_runtime *runtime, int descriptor)
{
	cape_outcome_fail(runtime, descriptor, "this node's copy of a file", errno,
			  "node 0 can change the file; give this node memory for its copy");
}

/* At OFFSET, or below 0 wherever it is. */
static ssize_t read_for_all(struct cape_runtime *runtime, int descriptor, void *to, size_t size,
			    off_t offset)
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

	cape_need_touch(to, size);
	if (cape_is_shared_file(runtime, descriptor))
		return cape_description_read(runtime, descriptor, to, size);
	return is_read_by_master(runtime, descriptor)
		       ? read_for_all(runtime, descriptor, to, size, -1)
		       : read(descriptor, to, size);
}

/* At OFFSET, or below 0 wherever it is. */
static ssize_t write_plainly(int descriptor, const void *from, size_t size, off_t offset)
{
	return offset < 0 ? write(descriptor, from, size) : pwrite(descriptor, from, size, offset);
}

/* What node 0 got rid of is in the others' copies, no more. */
static ssize_t write_as_master(struct cape_runtime *runtime, int descriptor, const void *from,
			       size_t size, off_t offset)
{
	ssize_t put = runtime->node == 0 ? write_plainly(descriptor, from, size, offset) : 0;

	put = cape_outcome_agree(runtime, descriptor, put, "write()");
	if (runtime->node > 0 && put > 0 && has_copy(runtime, descriptor) &&
	    write_plainly(descriptor, from, (size_t)put, offset) != put)
		fail_copy(runtime, descriptor);
	return put;
}

/*
 * Where node 0 prints, others may have /dev/null, which takes what cannot be read, too.  The kernel
 * says whether it can.
 */
static bool is_wrong(struct cape_runtime *runtime, int descriptor, const void *from)
{
	char byte;

	return cape_output_is_nowhere(runtime, descriptor) &&
	       cape_copy_if_there(&byte, from, 1) == -EFAULT;
}

static ssize_t write_somewhere(struct cape_runtime *runtime, int descriptor, const void *from,
			       size_t size, off_t offset)
{
	if (!size || !cape_is_replicated(runtime) || !is_wrong(runtime, descriptor, from))
		return write_plainly(descriptor, from, size, offset);
	errno = EFAULT;
	return -1;
}

/* A file of sequential code, or of this node alone. */
static ssize_t write_own(struct cape_runtime *runtime, int descriptor, const void *from,
			 size_t size, off_t offset, const char *what)
{
	ssize_t put;

	if (!cape_outcome_is_asked(runtime, descriptor, size)) {
		put = write_somewhere(runtime, descriptor, from, size, offset);
		return cape_outcome_check(runtime, descriptor, put, size, what);
	}
	return write_as_master(runtime, descriptor, from, size, offset);
}

ssize_t cape_file_write(int descriptor, const void *from, size_t size)
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_need_touch(from, size);
	if (cape_is_shared_file(runtime, descriptor))
		return cape_description_write(runtime, descriptor, from, size);
	if (is_printed(runtime, descriptor))
		cape_description_await_master(runtime);
	return write_own(runtime, descriptor, from, size, -1, "write()");
}

/* Where node 0 prints to a pipe others have /dev/null, which is always at its start. */
static off_t as_printed(struct cape_runtime *runtime, int descriptor, off_t offset)
{
	if (offset != 0 || !cape_output_is_nowhere(runtime, descriptor))
		return offset;
	errno = ESPIPE;
	return -1;
}

/* A file may be shorter than its copy can be, and have its holes elsewhere. */
static bool is_far(off_t offset, int whence, off_t place)
{
	return whence > SEEK_END || place > INT32_MAX || (place < 0 && offset > 0);
}

static off_t seek_as_master(struct cape_runtime *runtime, int descriptor, off_t place)
{
	off_t common = cape_outcome_agree(runtime, descriptor, place, "lseek()");
	off_t where = lseek(descriptor, 0, SEEK_CUR);

	/* Where it failed, it has moved on this node perhaps. */
	cape_one_truth_value(runtime, &where, sizeof(where), "lseek()");
	if (runtime->node > 0)
		lseek(descriptor, where, SEEK_SET);
	return common;
}

off_t cape_file_seek(int descriptor, off_t offset, int whence)
{
	struct cape_runtime *runtime = cape_runtime_get();
	off_t place;

	if (cape_is_shared_file(runtime, descriptor))
		return cape_description_seek(runtime, descriptor, offset, whence);
	if (is_read_by_master(runtime, descriptor)) {
		offset = runtime->node == 0 ? lseek(descriptor, offset, whence) : 0;
		return cape_files_agree(runtime, offset, "lseek()");
	}
	place = lseek(descriptor, offset, whence);
	if (is_far(offset, whence, place) && cape_outcome_is_common(runtime, descriptor))
		place = seek_as_master(runtime, descriptor, place);
	return cape_is_replicated(runtime) ? as_printed(runtime, descriptor, place) : place;
}

/* Some disks report only now that they had no room. */
static int close_own(struct cape_runtime *runtime, int descriptor)
{
	bool asked = has_copy(runtime, descriptor) && cape_outcome_is_asked(runtime, descriptor, 0);
	int result = close(descriptor);

	if (!asked)
		return (int)cape_outcome_check(runtime, descriptor, result, 0, "close()");
	return (int)cape_outcome_agree(runtime, descriptor, result, "close()");
}

int cape_file_close(int descriptor)
{
	struct cape_runtime *runtime = cape_runtime_get();
	int result;

	if (cape_is_shared_file(runtime, descriptor)) {
		cape_description_close(runtime, descriptor, NULL);
		return 0;
	}
	/* What is opened next may get the number. */
	runtime->ordering->lock(runtime);
	result = close_own(runtime, descriptor);
	cape_open_files_remove(runtime, descriptor);
	runtime->ordering->unlock(runtime);
	return result;
}

int cape_file_status(int descriptor, struct stat *status)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_service_request request = {.file.operation = CAPE_FILE_STATUS};

	cape_need_touch(status, sizeof(*status));
	if (!cape_is_shared_file(runtime, descriptor))
		return cape_own_status(descriptor, status);
	return (int)cape_description_do(runtime, descriptor, request, status);
}

ssize_t cape_file_read_at(int descriptor, void *to, size_t size, off_t offset)
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_need_touch(to, size);
	if (offset >= 0 && is_read_by_master(runtime, descriptor))
		return read_for_all(runtime, descriptor, to, size, offset);
	if (cape_is_shared_file(runtime, descriptor) &&
	    cape_open_files_find(runtime, descriptor)->kind != CAPE_OPEN_READ)
		return cape_description_read_at(runtime, descriptor, to, size, offset);
	cape_description_await_master(runtime);
	return pread(descriptor, to, size, offset);
}

ssize_t cape_file_write_at(int descriptor, const void *from, size_t size, off_t offset)
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_need_touch(from, size);
	if (!cape_is_shared_file(runtime, descriptor))
		return offset < 0 ? pwrite(descriptor, from, size, offset)
				  : write_own(runtime, descriptor, from, size, offset, "pwrite()");
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

static long change_plainly(int descriptor, const struct cape_service_request *request)
{
	switch (request->file.operation) {
	case CAPE_FILE_TRUNCATE:
		return syscall(SYS_ftruncate, descriptor, request->file.offset);
	case CAPE_FILE_ALLOCATE:
		return syscall(SYS_fallocate, descriptor, request->file.how, request->file.offset,
			       request->file.length);
	default:
		return syscall(SYS_fsync, descriptor);
	}
}

/* Node 0's, and then the copies alike. */
static int change_as_master(struct cape_runtime *runtime, int descriptor,
			    const struct cape_service_request *request, const char *what)
{
	long result = runtime->node == 0 ? change_plainly(descriptor, request) : 0;

	result = cape_outcome_agree(runtime, descriptor, result, what);
	if (runtime->node > 0 && result == 0 && has_copy(runtime, descriptor) &&
	    change_plainly(descriptor, request) < 0)
		fail_copy(runtime, descriptor);
	return (int)result;
}

int cape_file_change(int descriptor, struct cape_service_request request)
{
	struct cape_runtime *runtime = cape_runtime_get();
	bool syncs = request.file.operation == CAPE_FILE_SYNC;
	int result;

	if (cape_is_shared_file(runtime, descriptor))
		return (int)cape_description_do(runtime, descriptor, request, NULL);
	if (!cape_outcome_is_common(runtime, descriptor))
		return (int)change_plainly(descriptor, &request);
	if (syncs && !cape_outcome_is_asked(runtime, descriptor, 0)) {
		result = (int)change_plainly(descriptor, &request);
		return (int)cape_outcome_check(runtime, descriptor, result, 0, "fsync()");
	}
	return change_as_master(runtime, descriptor, &request,
				syncs					       ? "fsync()"
				: request.file.operation == CAPE_FILE_TRUNCATE ? "ftruncate()"
									       : "fallocate()");
}

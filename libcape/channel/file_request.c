/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * file_request.c - carries out an operation on a description, in node 0's program or monitor.
 */
#include "channel/file_request.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "system/libc.h"

uint64_t cape_file_answer_size(const struct cape_service_request *request)
{
	switch (request->file.operation) {
	case CAPE_FILE_READ:
	case CAPE_FILE_READ_AT:
		return request->file.length < CAPE_FILE_PIECE ? request->file.length
							      : CAPE_FILE_PIECE;
	case CAPE_FILE_STATUS:
		return sizeof(struct stat);
	default:
		return 0;
	}
}

static long transfer_piece(int descriptor, const struct cape_service_request *request, char *bytes,
			   uint64_t size, uint64_t done)
{
	off_t offset = (off_t)(request->file.offset + done);

	switch (request->file.operation) {
	case CAPE_FILE_WRITE:
		return write(descriptor, bytes + done, size - done);
	case CAPE_FILE_WRITE_AT:
		return pwrite(descriptor, bytes + done, size - done, offset);
	case CAPE_FILE_READ:
		return read(descriptor, bytes + done, size - done);
	default:
		return pread(descriptor, bytes + done, size - done, offset);
	}
}

/* All of it that a regular file has, or takes in one call; of a pipe what there is, or fits. */
static long transfer(int descriptor, const struct cape_service_request *request, char *bytes,
		     uint64_t size)
{
	bool is_pipe = lseek(descriptor, 0, SEEK_CUR) < 0;
	bool writes = request->file.operation == CAPE_FILE_WRITE ||
		      request->file.operation == CAPE_FILE_WRITE_AT;
	uint64_t done = 0;

	if (is_pipe && size > PIPE_BUF)
		size = PIPE_BUF;
	do {
		long moved = transfer_piece(descriptor, request, bytes, size, done);

		if (moved < 0 && errno == EINTR)
			continue;
		if (moved < 0 && !done)
			return -1;
		if (moved <= 0)
			break;
		done += (uint64_t)moved;
		/* A file that took a part is full, or at a limit: the next call is the program's.
		 */
	} while (done < size && !is_pipe && !(writes && done));
	return (long)done;
}

static long perform(int descriptor, const struct cape_service_request *request, void *bytes)
{
	switch (request->file.operation) {
	case CAPE_FILE_ENTERED:
		return 0;
	case CAPE_FILE_WRITE:
	case CAPE_FILE_WRITE_AT:
		return transfer(descriptor, request, bytes, request->size);
	case CAPE_FILE_READ:
	case CAPE_FILE_READ_AT:
		return transfer(descriptor, request, bytes, cape_file_answer_size(request));
	case CAPE_FILE_SEEK:
		return lseek(descriptor, (off_t)request->file.offset, (int)request->file.how);
	case CAPE_FILE_TRUNCATE:
		return syscall(SYS_ftruncate, descriptor, request->file.offset);
	case CAPE_FILE_ALLOCATE:
		return syscall(SYS_fallocate, descriptor, request->file.how, request->file.offset,
			       request->file.length);
	case CAPE_FILE_SYNC:
		return syscall(SYS_fsync, descriptor);
	case CAPE_FILE_STATUS:
		return syscall(SYS_fstat, descriptor, bytes);
	default:
		errno = ENOSYS;
		return -1;
	}
}

struct cape_service_reply cape_file_perform(int descriptor,
					    const struct cape_service_request *request, void *bytes)
{
	int saved_errno = errno;
	long result = perform(descriptor, request, bytes);
	struct cape_service_reply reply = {
		.result = (uint64_t)result,
		.file = {.error = result < 0 ? (uint64_t)errno : 0,
			 .place = (uint64_t)lseek(descriptor, 0, SEEK_CUR)},
		.seen = request->seen,
	};

	if (request->file.operation == CAPE_FILE_STATUS && result == 0)
		reply.size = sizeof(struct stat);
	else if ((request->file.operation == CAPE_FILE_READ ||
		  request->file.operation == CAPE_FILE_READ_AT) &&
		 result > 0)
		reply.size = (uint64_t)result;
	errno = saved_errno;
	return reply;
}

bool cape_file_is_ready(int descriptor, const struct cape_service_request *request)
{
	struct pollfd look = {.fd = descriptor};

	if (request->file.operation == CAPE_FILE_READ)
		look.events = POLLIN;
	else if (request->file.operation == CAPE_FILE_WRITE)
		look.events = POLLOUT;
	else
		return true;
	return syscall(SYS_poll, &look, 1, 0) != 0;
}

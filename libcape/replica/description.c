/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * description.c - requests to node 0's monitor, or node 0's own system calls, and what they change.
 */
#include "replica/description.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "system/libc.h"
#include "base/ordering.h"
#include "message/message.h"
#include "message/one_truth.h"
#include "message/request.h"
#include "replica/open_files.h"
#include "replica/outcomes.h"

/* Bytes that wait; they follow, padded to 8. */
struct waiting {
	int64_t descriptor;
	uint64_t size;
};

/*
 * What this node has not opened, node 0 may have, in this region.  What yet another has opened is
 * that node's own.
 */
static bool is_unknown(struct cape_runtime *runtime, int descriptor)
{
	int saved_errno = errno;
	bool is_open = descriptor <= STDERR_FILENO || descriptor >= CAPE_DESCRIPTORS_LIMIT ||
		       fcntl(descriptor, F_GETFD) >= 0;

	errno = saved_errno;
	if (is_open)
		return false;
	if (descriptor >= CAPE_OWN_DESCRIPTORS && descriptor < CAPE_OWN_DESCRIPTORS_END)
		cape_fail(runtime, 0,
			  "node %u: at or after %.200s:%d: file descriptor %d is not open here; a "
			  "file that a node other than node 0 opens in a region cannot be used by "
			  "other nodes in that region: open it before the region, or in a master "
			  "construct",
			  runtime->node, runtime->channel->state.file, runtime->channel->state.line,
			  descriptor);
	if (runtime->node == 0)
		return false;
	cape_open_files_add_unknown(runtime, descriptor);
	return true;
}

bool cape_is_shared_file(struct cape_runtime *runtime, int descriptor)
{
	const struct cape_open_file *file;
	bool shared;

	if (!cape_is_concurrent(runtime))
		return false;
	runtime->ordering->lock(runtime);
	file = cape_open_files_find(runtime, descriptor);
	shared = file ? file->kind != CAPE_OPEN_OWN : is_unknown(runtime, descriptor);
	runtime->ordering->unlock(runtime);
	return shared;
}

static void note_range(struct cape_file_change *change, uint64_t from, uint64_t to)
{
	if (from >= to)
		return;
	if (!change->to || from < change->from)
		change->from = from;
	if (to > change->to)
		change->to = to;
}

/* Then what is written at a place comes at the end instead. */
static bool appends(int descriptor)
{
	int flags = fcntl(descriptor, F_GETFL);

	return flags < 0 || (flags & O_APPEND);
}

/* What REPLY says about the file's bytes. */
static void note(struct cape_runtime *runtime, int descriptor,
		 const struct cape_service_request *request, const struct cape_service_reply *reply)
{
	struct cape_file_change *change = &runtime->files->file[descriptor].change;
	long result = (long)reply->result;

	if (request->file.operation == CAPE_FILE_STATUS ||
	    request->file.operation == CAPE_FILE_SYNC ||
	    request->file.operation == CAPE_FILE_READ_AT)
		return;
	change->any = 1;
	runtime->files->changed = true;
	if (result < 0)
		return;
	if (request->file.operation == CAPE_FILE_WRITE && reply->file.place != CAPE_FILE_NOWHERE)
		note_range(change, reply->file.place - (uint64_t)result, reply->file.place);
	else if (request->file.operation == CAPE_FILE_WRITE_AT)
		note_range(change, request->file.offset,
			   appends(descriptor) ? INT64_MAX
					       : request->file.offset + (uint64_t)result);
	else if (request->file.operation == CAPE_FILE_TRUNCATE ||
		 request->file.operation == CAPE_FILE_ALLOCATE)
		note_range(change, 0, INT64_MAX);
}

static struct cape_service_reply ask(struct cape_runtime *runtime,
				     struct cape_service_request request, const void *in, void *out)
{
	const struct cape_service_reply *reply;

	if (in)
		memcpy(cape_request_payload(runtime), in, request.size);
	reply = cape_request(runtime, request);
	if (reply->size > cape_file_answer_size(&request))
		cape_fail(runtime, 0, "the answer about a file is malformed");
	if (out)
		memcpy(out, reply + 1, reply->size);
	runtime->files->asked = true;
	return *reply;
}

static long perform(struct cape_runtime *runtime, int descriptor,
		    struct cape_service_request request, const void *in, void *out)
{
	struct cape_service_reply reply;

	request.kind = CAPE_SERVICE_FILE;
	request.id = (uint64_t)descriptor;
	request.file.regions = runtime->regions;
	if (runtime->node == 0) {
		cape_open_files_hold(runtime, descriptor);
		reply = cape_file_perform(descriptor, &request, in ? (void *)in : out);
	} else {
		reply = ask(runtime, request, in, out);
	}
	note(runtime, descriptor, &request, &reply);
	if ((long)reply.result >= 0)
		return (long)reply.result;
	/* Only the monitor, which has made the call, gets the signal. */
	if (reply.file.error == EFBIG && runtime->node > 0)
		raise(SIGXFSZ);
	errno = (int)reply.file.error;
	return -1;
}

/* Unless it is full, or as long as the program may make it. */
static bool takes_all(struct cape_runtime *runtime, int descriptor)
{
	const struct cape_open_file *file = cape_open_files_find(runtime, descriptor);

	return file && file->kind == CAPE_OPEN_COPY;
}

/* All of it, as far as the file takes it; a pipe takes a little at a time. */
static long write_now(struct cape_runtime *runtime, int descriptor,
		      struct cape_service_request request, const void *from, size_t size)
{
	size_t done = 0, most = CAPE_FILE_PIECE;

	do {
		long put;

		request.size = size - done < most ? size - done : most;
		put = perform(runtime, descriptor, request, (const char *)from + done, NULL);
		if (put < 0 && !done)
			return -1;
		if (put <= 0)
			break;
		done += (size_t)put;
		if ((size_t)put < request.size && takes_all(runtime, descriptor))
			break;
		if ((size_t)put < request.size)
			most = (size_t)put;
		request.file.offset += (uint64_t)put;
	} while (done < size);
	return (long)done;
}

/* All that waits for DESCRIPTOR at FIRST or after it, in one piece; it waits no longer. */
static uint64_t gather(struct cape_open_files *files, uint64_t first, int64_t descriptor,
		       unsigned char *to)
{
	uint64_t gathered = 0;

	for (uint64_t at = first; at < files->waiting_size;) {
		struct waiting *piece = (struct waiting *)(files->waiting + at);

		if (piece->descriptor == descriptor) {
			memcpy(to + gathered, piece + 1, piece->size);
			gathered += piece->size;
			piece->descriptor = -1;
		}
		at += sizeof(*piece) + cape_message_padded(piece->size);
	}
	return gathered;
}

static void write_all(struct cape_runtime *runtime, int descriptor, const void *bytes,
		      uint64_t size)
{
	struct cape_service_request request = {.file.operation = CAPE_FILE_WRITE};
	const char *from = bytes;
	uint64_t done = 0;
	long put = 1;

	/* What follows a part says why it was one. */
	for (; done < size && put > 0; done += put > 0 ? (uint64_t)put : 0)
		put = write_now(runtime, descriptor, request, from + done, size - done);
	if (done < size)
		cape_outcome_fail(runtime, descriptor, "what the region wrote", errno,
				  "check that disk and run the program again");
}

/* Hands on what waits for DESCRIPTOR; below 0: everything. */
static void drain(struct cape_runtime *runtime, int descriptor)
{
	struct cape_open_files *files = runtime->files;
	/* Requests are made in front of it. */
	unsigned char *all = cape_request_payload(runtime) + CAPE_FILE_PIECE;
	int saved_errno = errno;

	for (uint64_t at = 0; at < files->waiting_size;) {
		struct waiting piece;

		memcpy(&piece, files->waiting + at, sizeof(piece));
		if (piece.descriptor >= 0 && (descriptor < 0 || piece.descriptor == descriptor))
			write_all(runtime, (int)piece.descriptor, all,
				  gather(files, at, piece.descriptor, all));
		at += sizeof(piece) + cape_message_padded(piece.size);
	}
	if (descriptor < 0)
		files->waiting_size = 0;
	errno = saved_errno;
}

/* What is to be written, and what is known of files, is one thread's at a time. */
static void begin(struct cape_runtime *runtime)
{
	runtime->ordering->lock(runtime);
}

static long end(struct cape_runtime *runtime, long result)
{
	runtime->ordering->unlock(runtime);
	return result;
}

void cape_description_drain(struct cape_runtime *runtime)
{
	begin(runtime);
	drain(runtime, -1);
	end(runtime, 0);
}

static void keep(struct cape_runtime *runtime, int descriptor, const void *from, size_t size)
{
	struct cape_open_files *files = runtime->files;
	struct waiting piece = {descriptor, size};

	if (size > CAPE_WAITING_LIMIT - sizeof(piece)) {
		drain(runtime, descriptor);
		write_all(runtime, descriptor, from, size);
		return;
	}
	if (files->waiting_size + sizeof(piece) + cape_message_padded(size) > CAPE_WAITING_LIMIT)
		cape_description_drain(runtime);
	memcpy(files->waiting + files->waiting_size, &piece, sizeof(piece));
	memcpy(files->waiting + files->waiting_size + sizeof(piece), from, size);
	files->waiting_size += sizeof(piece) + cape_message_padded(size);
}

void cape_description_keep(struct cape_runtime *runtime, int descriptor, const void *from,
			   size_t size)
{
	begin(runtime);
	keep(runtime, descriptor, from, size);
	end(runtime, 0);
}

long cape_description_do(struct cape_runtime *runtime, int descriptor,
			 struct cape_service_request request, void *out)
{
	begin(runtime);
	drain(runtime, descriptor);
	return end(runtime, perform(runtime, descriptor, request, NULL, out));
}

long cape_description_seek(struct cape_runtime *runtime, int descriptor, off_t offset, int whence)
{
	struct cape_service_request request = {.file = {.operation = CAPE_FILE_SEEK,
							.offset = (uint64_t)offset,
							.how = (uint64_t)whence}};

	return cape_description_do(runtime, descriptor, request, NULL);
}

/* As far as the file goes. */
static long read_now(struct cape_runtime *runtime, int descriptor,
		     struct cape_service_request request, char *to, size_t size)
{
	size_t done = 0;

	drain(runtime, descriptor);
	do {
		long got;

		request.file.length = size - done;
		got = perform(runtime, descriptor, request, NULL, to + done);
		if (got < 0 && !done)
			return -1;
		if (got <= 0)
			break;
		done += (size_t)got;
		request.file.offset += (uint64_t)got;
	} while (done < size && done % CAPE_FILE_PIECE == 0);
	return (long)done;
}

long cape_description_read(struct cape_runtime *runtime, int descriptor, void *to, size_t size)
{
	struct cape_service_request request = {.file.operation = CAPE_FILE_READ};

	begin(runtime);
	return end(runtime, read_now(runtime, descriptor, request, to, size));
}

long cape_description_read_at(struct cape_runtime *runtime, int descriptor, void *to, size_t size,
			      off_t offset)
{
	struct cape_service_request request = {
		.file = {.operation = CAPE_FILE_READ_AT, .offset = (uint64_t)offset}};

	begin(runtime);
	return end(runtime, read_now(runtime, descriptor, request, to, size));
}

long cape_description_write(struct cape_runtime *runtime, int descriptor, const void *from,
			    size_t size)
{
	struct cape_service_request request = {.file.operation = CAPE_FILE_WRITE};

	begin(runtime);
	drain(runtime, descriptor);
	return end(runtime, write_now(runtime, descriptor, request, from, size));
}

long cape_description_write_at(struct cape_runtime *runtime, int descriptor, const void *from,
			       size_t size, off_t offset)
{
	struct cape_service_request request = {
		.file = {.operation = CAPE_FILE_WRITE_AT, .offset = (uint64_t)offset}};

	begin(runtime);
	drain(runtime, descriptor);
	return end(runtime, write_now(runtime, descriptor, request, from, size));
}

void cape_description_close(struct cape_runtime *runtime, int descriptor, const void *stream)
{
	struct cape_file_change *change = &runtime->files->file[descriptor].change;

	begin(runtime);
	drain(runtime, -1);
	change->any = 1;
	change->close = stream ? (uint64_t)(uintptr_t)stream : 1;
	runtime->files->changed = true;
	end(runtime, 0);
}

void cape_description_await_master(struct cape_runtime *runtime)
{
	if (runtime->node == 0 || runtime->files->asked || !cape_is_concurrent(runtime))
		return;
	begin(runtime);
	cape_request(runtime, (struct cape_service_request){.kind = CAPE_SERVICE_FILE,
							    .file = {.operation = CAPE_FILE_ENTERED,
								     .regions = runtime->regions}});
	runtime->files->asked = true;
	end(runtime, 0);
}

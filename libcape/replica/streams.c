/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * streams.c - what stdio reads, writes and seeks, for files that nodes share.
 *
 * The C library's streams call read(), write() and lseek() inside it, where no function of ours can
 * stand in.  They do so through a table of functions, which is exported, and of which the entries
 * for these are changed here; what these do they do on the stack apart.  The streams themselves lie
 * in shared memory: what the program reads from a buffer, and whose buffer it is, travels with
 * whatever orders the nodes.
 */
#include "replica/streams.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include "system/libc.h"
#include "replica/description.h"
#include "replica/file_calls.h"
#include "memory/apart.h"
#include "memory/frame.h"
#include "message/one_truth.h"
#include "replica/open_files.h"

#define PAGE 4096ul

/* glibc's struct _IO_jump_t; the order is part of its binary interface. */
struct jumps {
	size_t unused[2];
	void *calls[12];
	ssize_t (*read)(FILE *stream, void *to, ssize_t size);
	ssize_t (*write)(FILE *stream, const void *from, ssize_t size);
	off_t (*seek)(FILE *stream, off_t offset, int whence);
	int (*close)(FILE *stream);
	int (*status)(FILE *stream, void *status);
};

/* What glibc names by these flags. */
#define UNBUFFERED    0x0002
#define ONLY_READ     0x0008
#define ERROR_SEEN    0x0020
#define LINE_BUFFERED 0x0200
#define NO_PLACE      (-1)

CAPE_APART(ssize_t, cape_stream_read, (FILE * stream, void *to, ssize_t size))
{
	return cape_file_read(fileno(stream), to, (size_t)size);
}

/* The program did not ask for this write, and gets the result when it asks for a write. */
static void note_late(struct cape_runtime *runtime, int descriptor)
{
	struct cape_open_files *files = runtime->files;

	if (!files->unasked || descriptor < 0 || descriptor >= CAPE_DESCRIPTORS_LIMIT)
		return;
	files->file[descriptor].late_error = errno;
	if (descriptor >= files->late_end)
		files->late_end = descriptor + 1;
}

/* The error of such a write to STREAM, or to any if it is NULL: returned once; or 0. */
static int take_late(struct cape_runtime *runtime, const FILE *stream)
{
	struct cape_open_files *files = runtime->files;
	int error = 0;

	for (int i = 0; i < files->late_end; i++) {
		if (!files->file[i].late_error || (stream && stream->_fileno != i))
			continue;
		error = files->file[i].late_error;
		files->file[i].late_error = 0;
	}
	return error;
}

/* RESULT of a call that returns what became of writes. */
static int tell_late(int error, int result)
{
	if (!error)
		return result;
	errno = error;
	return EOF;
}

/* Another node may move the place on: the stream must ask for it. */
CAPE_APART(ssize_t, cape_stream_write, (FILE * stream, const void *from, ssize_t size))
{
	struct cape_runtime *runtime = cape_runtime_get();
	int descriptor = fileno(stream);
	ssize_t done = 0;

	if (cape_is_shared_file(runtime, descriptor)) {
		stream->_offset = NO_PLACE;
		if (!(stream->_flags & (UNBUFFERED | LINE_BUFFERED))) {
			cape_description_keep(runtime, descriptor, from, (size_t)size);
			return size;
		}
	}
	while (done < size) {
		ssize_t put = cape_file_write(descriptor, (const char *)from + done,
					      (size_t)(size - done));

		if (put < 0) {
			stream->_flags |= ERROR_SEEN;
			note_late(runtime, descriptor);
			break;
		}
		done += put;
	}
	if (stream->_offset >= 0)
		stream->_offset += done;
	return done;
}

CAPE_APART(off_t, cape_stream_seek, (FILE * stream, off_t offset, int whence))
{
	return cape_file_seek(fileno(stream), offset, whence);
}

CAPE_APART(int, cape_stream_close, (FILE * stream))
{
	return cape_file_close(fileno(stream));
}

/*
 * What stdio makes of it is a buffer's size and the end of the file; it leaves the rest on the
 * stack, where numbers of files, times and permissions differ between nodes.
 */
CAPE_APART(int, cape_stream_status, (FILE * stream, void *status))
{
	struct stat *to = status;
	int result = cape_file_status(fileno(stream), to);

	if (result == 0)
		*to = (struct stat){
			.st_mode = to->st_mode & S_IFMT,
			.st_rdev = to->st_rdev,
			.st_size = to->st_size,
			.st_blksize = to->st_blksize,
		};
	return result;
}

static int change_table(struct jumps *jumps)
{
	uintptr_t start = (uintptr_t)jumps & -PAGE;
	uintptr_t end = ((uintptr_t)(jumps + 1) + PAGE - 1) & -PAGE;

	if (mprotect((void *)start, end - start, PROT_READ | PROT_WRITE) < 0)
		return -errno;
	jumps->read = cape_stream_read;
	jumps->write = cape_stream_write;
	jumps->seek = cape_stream_seek;
	jumps->close = cape_stream_close;
	jumps->status = cape_stream_status;
	return mprotect((void *)start, end - start, PROT_READ) < 0 ? -errno : 0;
}

static int change(const char *name, const void **table)
{
	struct jumps *jumps = dlsym(RTLD_DEFAULT, name);

	*table = jumps;
	return jumps ? change_table(jumps) : -ENOENT;
}

int cape_streams_start(struct cape_runtime *runtime)
{
	struct cape_open_files *files = runtime->files;
	int error = change("_IO_file_jumps", &files->table[0]);

	files->streams = dlsym(RTLD_DEFAULT, "_IO_list_all");
	if (!error)
		error = change("_IO_wfile_jumps", &files->table[1]);
	return error;
}

/* What has been written is to be seen. */
static int flush(FILE *stream)
{
	struct cape_runtime *runtime = cape_runtime_get();
	int late = runtime->files->unasked ? 0 : take_late(runtime, stream);
	int result = cape_own_fflush(stream);

	if (runtime->files->waiting_size)
		cape_description_drain(runtime);
	return tell_late(late, result);
}

CAPE_APART(int, cape_stream_flush, (FILE * stream))
{
	return flush(stream);
}

CAPE_APART(int, cape_stream_end, (FILE * stream))
{
	struct cape_runtime *runtime = cape_runtime_get();
	int descriptor = fileno(stream), result;
	int late = take_late(runtime, stream);

	if (!cape_is_shared_file(runtime, descriptor))
		return tell_late(late, cape_own_fclose(stream));
	result = cape_own_fflush(stream);
	cape_description_close(runtime, descriptor, stream);
	return tell_late(late, result);
}

/*
 * Those of fopencookie() are none: what the program gave is called on its stack.  Nor are those of
 * open_memstream(), which have no descriptor, and do not say so.  A stream has a table.
 */
static bool is_file(const FILE *stream)
{
	const struct cape_open_files *files = cape_runtime_get()->files;
	const void *table;

	if (!stream || stream->_fileno < 0)
		return false;
	memcpy(&table, stream + 1, sizeof(table));
	return table == files->table[0] || table == files->table[1];
}

/* On the caller's stack: STREAM is all of them, or calls what the program gave. */
static int flush_here(FILE *stream)
{
	int result = flush(stream);

	cape_frame_wipe();
	return result;
}

CAPE_FUNCTION(int, fflush, (FILE * stream))
{
	return is_file(stream) ? cape_stream_flush(stream) : flush_here(stream);
}

/* Whether there is something to flush: asked often, and a flush costs a lock for each stream. */
static bool has_output(const struct cape_open_files *files)
{
	if (!files->streams || !__libc_single_threaded || files->waiting_size)
		return true;
	for (const FILE *stream = *files->streams; stream; stream = stream->_chain)
		if (stream->_mode > 0 || stream->_IO_write_ptr > stream->_IO_write_base)
			return true;
	return false;
}

static void flush_unasked(FILE *stream)
{
	struct cape_open_files *files = cape_runtime_get()->files;
	int saved_errno = errno;

	files->unasked = true;
	flush_here(stream);
	files->unasked = false;
	errno = saved_errno;
}

void cape_streams_flush(void)
{
	struct cape_open_files *files = cape_runtime_get()->files;

	if (files->streams_held && files->waiting_size)
		cape_description_drain(cape_runtime_get());
	else if (!files->streams_held && has_output(files))
		flush_unasked(NULL);
}

/* The C library's; the list, then streams, is the order in which it locks them, too. */
void _IO_list_lock(void);
void _IO_list_unlock(void);

/* Who reads may wait for long: then nothing of the stream changes. */
static bool take_stream(FILE *stream)
{
	if (ftrylockfile(stream) == 0)
		return true;
	if (stream->_flags & ONLY_READ)
		return false;
	flockfile(stream);
	return true;
}

void cape_streams_hold(void)
{
	struct cape_open_files *files = cape_runtime_get()->files;
	FILE *stream = NULL;

	_IO_list_lock();
	if (files->streams)
		stream = *files->streams;
	for (files->held_count = 0; stream; stream = stream->_chain) {
		if (files->held_count == CAPE_DESCRIPTORS_LIMIT || !take_stream(stream))
			continue;
		files->held_stream[files->held_count++] = stream;
		if (stream->_mode > 0 || stream->_IO_write_ptr > stream->_IO_write_base)
			flush_unasked(stream);
	}
	files->streams_held = true;
}

void cape_streams_let_go(void)
{
	struct cape_open_files *files = cape_runtime_get()->files;

	files->streams_held = false;
	while (files->held_count)
		funlockfile(files->held_stream[--files->held_count]);
	_IO_list_unlock();
}

/* A stream's lock that lies with it would travel with it, held by some thread of another node. */
FILE *cape_streams_lock_apart(struct cape_runtime *runtime, FILE *stream)
{
	struct cape_stream_lock *locks = runtime->files->stream_lock;
	int descriptor = is_file(stream) ? stream->_fileno : -1;

	if (runtime->threads == 1 || descriptor <= STDERR_FILENO ||
	    descriptor >= CAPE_DESCRIPTORS_LIMIT || stream->_lock == &locks[descriptor])
		return stream;
	/* It is in the list by now: somebody may hold it. */
	_IO_list_lock();
	stream->_lock = &locks[descriptor];
	_IO_list_unlock();
	return stream;
}

void cape_streams_lock_all_apart(struct cape_runtime *runtime)
{
	FILE *const *streams = runtime->files->streams;

	for (FILE *stream = streams ? *streams : NULL; stream; stream = stream->_chain)
		cape_streams_lock_apart(runtime, stream);
}

CAPE_FUNCTION(int, fclose, (FILE * stream))
{
	return is_file(stream) ? cape_stream_end(stream) : cape_own_fclose(stream);
}

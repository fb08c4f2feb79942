// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - a thread that reads the memory of a process and writes a file.
 */
#include "write.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/node.h"
#include "checkpoint/diff.h"
#include "file/writer.h"

#define PIECE (8 * FILE_BLOCK)

struct write {
	struct write_job *job;
	pthread_t thread;
	bool cancelled, over;
	unsigned char *piece;
	int memory; /* of the process */
	struct file_writer *writer;
	struct file_error error;
};

static int by_start(const void *one, const void *other)
{
	const struct cape_range *a = one, *b = other;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* In the order of addresses, and no byte twice. */
static void sort(struct write_job *job)
{
	size_t count = 0;

	if (job->ranges)
		qsort(job->range, job->ranges, sizeof(*job->range), by_start);
	for (size_t i = 0; i < job->ranges; i++) {
		struct cape_range *last = count ? &job->range[count - 1] : NULL;

		if (last && job->range[i].start <= last->end) {
			if (job->range[i].end > last->end)
				last->end = job->range[i].end;
		} else {
			job->range[count++] = job->range[i];
		}
	}
	job->ranges = count;
}

static int fail(struct write_job *job, int number, const char *what)
{
	job->error = -number;
	snprintf(job->reason, sizeof(job->reason), "%s: %s", what, strerror(number));
	return -number;
}

static int failed_file(struct write *write, int error)
{
	if (error) {
		write->job->error = error;
		snprintf(write->job->reason, sizeof(write->job->reason), "%.500s",
			 write->error.text);
	}
	return error;
}

/* The file of its memory passes what is protected. */
static int open_memory(struct write *write)
{
	char path[64];

	if (!write->job->ranges)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)write->job->process);
	write->memory = open(path, O_RDONLY | O_CLOEXEC);
	if (write->memory < 0)
		return fail(write->job, errno, path);
	write->piece = malloc(PIECE);
	return write->piece ? 0 : fail(write->job, ENOMEM, "writing memory");
}

/* SIZE bytes, of which all are as in the file before, or none is known to be. */
static int write_alike(struct write *write, uint64_t address, const unsigned char *bytes,
		       uint64_t size, bool same)
{
	const struct cape_stamp stamp = {0};
	struct file_writer *writer = write->writer;

	return failed_file(
		write,
		same ? file_write_same(writer, stamp, address, size, &write->error)
		     : file_write_memory(writer, stamp, address, bytes, size, &write->error));
}

/* Page by page; zeros are no more to write than what is as before. */
static int write_piece(struct write *write, uint64_t address, uint64_t size)
{
	uint64_t at = address, begun = address, end = address + size;
	bool same = false;
	int error = 0;

	for (uint64_t next; at < end && !error; at = next) {
		const unsigned char *bytes = write->piece + (at - address);
		bool as_before = false;

		next = at - at % write->job->head.page_size + write->job->head.page_size;
		if (next > end)
			next = end;
		if (!cape_is_zero(bytes, next - at) &&
		    sums_add(&write->job->sums, &write->job->before, at, bytes, next - at,
			     &as_before))
			return fail(write->job, ENOMEM, "writing memory");
		if (as_before == same)
			continue;
		error = write_alike(write, begun, write->piece + (begun - address), at - begun,
				    same);
		begun = at;
		same = as_before;
	}
	return error ? error
		     : write_alike(write, begun, write->piece + (begun - address), end - begun,
				   same);
}

static int write_range(struct write *write, struct cape_range range)
{
	int error = 0;

	for (uint64_t at = range.start; at < range.end && !error; at += PIECE) {
		size_t size = range.end - at < PIECE ? range.end - at : PIECE;
		ssize_t got = pread(write->memory, write->piece, size, (off_t)at);
		char what[64];

		if (__atomic_load_n(&write->cancelled, __ATOMIC_RELAXED))
			return fail(write->job, ECANCELED, "saving");
		if (got != (ssize_t)size) {
			snprintf(what, sizeof(what), "the program's memory at %#llx",
				 (unsigned long long)at);
			return fail(write->job, got < 0 ? errno : EIO, what);
		}
		error = write_piece(write, at, size);
	}
	return error;
}

static int write_all(struct write *write)
{
	struct write_job *job = write->job;
	int error = open_memory(write);

	if (!error && mkdir(job->folder, 0700) < 0 && errno != EEXIST)
		error = fail(job, errno, job->folder);
	if (error)
		return error;
	error = failed_file(write, file_writer_open(&write->writer, job->folder, job->name,
						    &job->head, &write->error));
	for (size_t i = 0; i < job->sections && !error; i++)
		error = failed_file(write, file_write_named(write->writer, job->section[i].name, 0,
							    job->section[i].bytes,
							    job->section[i].size, &write->error));
	for (size_t i = 0; i < job->ranges && !error; i++)
		error = write_range(write, job->range[i]);
	if (!error)
		error = job->error = written_sync(&job->written, job->reason, sizeof(job->reason));
	if (!error) {
		job->bytes = file_writer_size(write->writer);
		error = failed_file(
			write, file_writer_commit(write->writer, &job->identity, &write->error));
		write->writer = NULL;
	}
	return error;
}

static void *work(void *context)
{
	struct write *write = context;

	node_leave_processor();
	sort(write->job);
	write_all(write);
	file_writer_abort(write->writer);
	if (write->memory >= 0)
		close(write->memory);
	free(write->piece);
	__atomic_store_n(&write->over, true, __ATOMIC_RELEASE);
	return NULL;
}

struct write *write_begin(struct write_job *job)
{
	struct write *write = calloc(1, sizeof(*write));
	int error;

	if (!write) {
		fail(job, ENOMEM, "saving");
		return NULL;
	}
	write->job = job;
	write->memory = -1;
	error = pthread_create(&write->thread, NULL, work, write);
	if (!error)
		return write;
	fail(job, error, "cannot start a thread that writes it");
	free(write);
	return NULL;
}

bool write_is_over(const struct write *write)
{
	return __atomic_load_n(&write->over, __ATOMIC_ACQUIRE);
}

void write_end(struct write *write, bool cancel)
{
	__atomic_store_n(&write->cancelled, cancel, __ATOMIC_RELAXED);
	pthread_join(write->thread, NULL);
	free(write);
}

void write_job_free(struct write_job *job)
{
	free(job->folder);
	free(job->range);
	for (size_t i = 0; i < job->sections; i++)
		free(job->section[i].bytes);
	written_close(&job->written);
	sums_free(&job->before);
	sums_free(&job->sums);
	memset(job, 0, sizeof(*job));
}

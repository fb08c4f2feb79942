/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.c - opened before the run, which may be long; what is there stays until the first bytes.
 */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/complain.h"

static bool refuse(const struct trace *trace, const char *why)
{
	return complain(
		"--profile=%s: %s; name a file that can be written, with --profile=FILE.trace.json",
		trace->path, why);
}

bool trace_open(struct trace *trace, const char *path)
{
	struct stat status;

	*trace = (struct trace){.path = path, .file = -1};
	if (!path)
		return true;
	/* A FIFO would wait for a reader. */
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		return refuse(trace,
			      S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file");
	trace->file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	return trace->file >= 0 || refuse(trace, strerror(errno));
}

static void fail(struct trace *trace)
{
	complain("cannot write the trace %s: %s", trace->path, strerror(errno));
	trace->failed = true;
}

void trace_write(struct trace *trace, const void *bytes, size_t size)
{
	const char *at = bytes;

	if (trace->file < 0 || trace->failed)
		return;
	if (!trace->begun && ftruncate(trace->file, 0) < 0)
		fail(trace);
	trace->begun = true;
	while (size && !trace->failed) {
		ssize_t written = write(trace->file, at, size);

		if (written > 0) {
			at += written;
			size -= (size_t)written;
		} else if (errno != EINTR) {
			fail(trace);
		}
	}
}

bool trace_close(struct trace *trace)
{
	struct stat status;

	if (trace->file < 0)
		return true;
	if (fstat(trace->file, &status) == 0 && status.st_size == 0)
		unlink(trace->path);
	if (close(trace->file) < 0 && !trace->failed)
		fail(trace);
	return !trace->failed;
}

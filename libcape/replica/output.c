/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * output.c - where stdout and stderr of a node lead, in and out of parallel regions.
 */
#include "replica/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "channel/channel.h"
#include "system/libc.h"
#include "system/own_status.h"
#include "replica/open_files.h"
#include "base/context.h"
#include "base/saved.h"

/* In a run of any number of nodes these are at the same addresses. */
static void start(struct cape_runtime *runtime)
{
	for (int i = 0; i < 2; i++)
		runtime->output->buffer[i] = cape_must_reserve(runtime, BUFSIZ);
}

CAPE_PART_OF_NODES(output, start);

/* What was read ahead; whatever was written has been flushed. */
static uint64_t put_buffer(struct cape_runtime *runtime, unsigned char *to)
{
	if (to)
		memcpy(to, runtime->output->buffer[0], BUFSIZ);
	return BUFSIZ;
}

static void take_buffer(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	memcpy(runtime->output->buffer[0], from, size < BUFSIZ ? size : BUFSIZ);
}

CAPE_SAVED(input_buffer, .put = put_buffer, .take = take_buffer);

static void identify(int descriptor, uint64_t *device, uint64_t *inode)
{
	struct stat status = {.st_ino = 0};

	cape_own_status(descriptor, &status);
	*device = status.st_dev;
	*inode = status.st_ino;
}

/*
 * The buffers are none of the shared heap's business.  All nodes buffer alike, as the user's
 * terminal or file wants it, though they all have pipes.
 */
static void give_buffers(const struct cape_runtime *runtime)
{
	int mode = runtime->channel->flags & CAPE_CHANNEL_TERMINAL ? _IOLBF : _IOFBF;

	setvbuf(stdin, runtime->output->buffer[0], _IOFBF, BUFSIZ);
	setvbuf(stdout, runtime->output->buffer[1], mode, BUFSIZ);
}

void cape_output_start(struct cape_runtime *runtime)
{
	struct cape_output *output = runtime->output;

	give_buffers(runtime);
	identify(CAPE_NULL_FD, &output->null.device, &output->null.inode);
	identify(STDIN_FILENO, &output->input.device, &output->input.inode);
	identify(CAPE_STDOUT_FD, &output->pipe[0].device, &output->pipe[0].inode);
	identify(CAPE_STDERR_FD, &output->pipe[1].device, &output->pipe[1].inode);
}

static bool is_null(const struct cape_output *output, int descriptor)
{
	uint64_t device, inode;

	identify(descriptor, &device, &inode);
	return device == output->null.device && inode == output->null.inode;
}

bool cape_output_is_original(const struct cape_runtime *runtime, int descriptor)
{
	const struct cape_output *output = runtime->output;
	uint64_t device, inode;

	if (descriptor < STDIN_FILENO || descriptor > STDERR_FILENO)
		return false;
	identify(descriptor, &device, &inode);
	if (descriptor == STDIN_FILENO)
		return device == output->input.device && inode == output->input.inode;
	return device == output->pipe[descriptor - 1].device &&
	       inode == output->pipe[descriptor - 1].inode;
}

bool cape_output_is_nowhere(struct cape_runtime *runtime, int descriptor)
{
	return runtime->node > 0 && !cape_open_files_find(runtime, descriptor) &&
	       is_null(runtime->output, descriptor);
}

void cape_output_switch(struct cape_runtime *runtime, bool parallel)
{
	const struct cape_output *output = runtime->output;
	static const int pipe[2] = {CAPE_STDOUT_FD, CAPE_STDERR_FD};
	int saved_errno = errno;

	for (int i = 0; i < 2; i++) {
		int descriptor = STDOUT_FILENO + i;
		uint64_t device, inode;

		if (cape_open_files_find(runtime, descriptor))
			continue;
		if (parallel && is_null(output, descriptor))
			dup2(pipe[i], descriptor);
		if (parallel)
			continue;
		identify(descriptor, &device, &inode);
		if (device == output->pipe[i].device && inode == output->pipe[i].inode)
			dup2(CAPE_NULL_FD, descriptor);
	}
	errno = saved_errno;
}

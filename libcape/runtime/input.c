// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * input.c - the place in standard input that all nodes share.
 */
#include "runtime/input.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "runtime/libc.h"
#include "runtime/runtime.h"

/* Shared like any static variable of the program. */
static struct {
	off_t place;  /* what the program reads next */
	off_t offset; /* of the master's descriptor, at a region's end */
} input;

/* Where this node reads next, or -1 where there is no such thing. */
static off_t own_place(void)
{
	int saved_errno = errno;
	off_t offset = lseek(STDIN_FILENO, 0, SEEK_CUR);

	errno = saved_errno;
	if (offset < 0 || fileno(stdin) != STDIN_FILENO)
		return -1;
	return offset - (stdin->_IO_read_end - stdin->_IO_read_ptr);
}

void cape_input_note(struct cape_runtime *runtime, bool leaving)
{
	off_t place = runtime->nodes > 1 ? own_place() : -1;

	if (place < 0)
		return;
	input.place = place;
	if (leaving && runtime->node == 0)
		input.offset = lseek(STDIN_FILENO, 0, SEEK_CUR);
}

void cape_input_follow(struct cape_runtime *runtime)
{
	off_t place = runtime->nodes > 1 ? own_place() : -1;
	int saved_errno = errno;

	if (place >= 0 && place != input.place)
		fseeko(stdin, input.place, SEEK_SET);
	errno = saved_errno;
}

void cape_input_leave(struct cape_runtime *runtime)
{
	off_t place = runtime->nodes > 1 ? own_place() : -1;
	ssize_t size = stdin->_IO_read_end - stdin->_IO_read_base;

	if (place < 0)
		return;
	if (runtime->node > 0) {
		lseek(STDIN_FILENO, input.offset, SEEK_SET);
		if (size > 0 && pread(STDIN_FILENO, stdin->_IO_read_base, (size_t)size,
				      input.offset - size) != size)
			cape_fail(runtime, 0, "node %u: standard input is not the master's",
				  runtime->node);
	}
	cape_input_follow(runtime);
}

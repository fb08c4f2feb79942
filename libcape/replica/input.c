// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * input.c - the place in standard input that all nodes share.
 */
#include "replica/input.h"

#include <errno.h>
#include <stdio.h>
#include "system/libc.h"
#include "base/context.h"
#include "channel/fetch.h"
#include "memory/directory.h"
#include "replica/open_files.h"

/* Shared like any static variable of the program.  No other is on its page, which stays common. */
static struct __attribute__((aligned(CAPE_FETCH_PAGE))) {
	off_t place;  /* what the program reads next */
	off_t offset; /* of the master's descriptor, at a region's end */
	bool flows;   /* was a pipe when the run was saved: what is read ahead is of no file */
} input;

bool cape_input_flows(void)
{
	return input.flows;
}

void cape_input_flow(void)
{
	input.flows = true;
}

/* Whether the program itself has opened it: then its place is that of node 0's description. */
static bool is_reopened(struct cape_runtime *runtime)
{
	return cape_open_files_find(runtime, STDIN_FILENO) != NULL;
}

/* The offset of this node's descriptor, or -1 where there is no such thing. */
static off_t own_offset(struct cape_runtime *runtime)
{
	int saved_errno = errno;
	off_t offset = -1;

	if (runtime->nodes > 1 && !input.flows && fileno(stdin) == STDIN_FILENO &&
	    !is_reopened(runtime))
		offset = lseek(STDIN_FILENO, 0, SEEK_CUR);
	errno = saved_errno;
	return offset;
}

/* What was read ahead is the next reader's, whoever that is. */
static void give_back(void)
{
	int saved_errno = errno;

	if (stdin->_IO_read_ptr < stdin->_IO_read_end)
		cape_own_fflush(stdin);
	errno = saved_errno;
}

/* What this node reads next when its descriptor is at OFFSET. */
static off_t place_of(off_t offset)
{
	return offset - (stdin->_IO_read_end - stdin->_IO_read_ptr);
}

void cape_input_note(struct cape_runtime *runtime, bool leaving)
{
	off_t offset = own_offset(runtime);

	/* At a region's end all nodes look at it, when claims have been carried out. */
	cape_directory_forbid_claims(
		runtime, (struct cape_range){(uintptr_t)&input, (uintptr_t)&input + sizeof(input)},
		true);
	if (is_reopened(runtime))
		give_back();
	if (offset < 0)
		return;
	input.place = place_of(offset);
	if (leaving && runtime->node == 0)
		input.offset = offset;
}

static void follow(off_t offset)
{
	int saved_errno = errno;

	/* One without a buffer would allocate it, and another thread may be in the heap. */
	if (place_of(offset) != input.place && stdin->_IO_buf_base)
		fseek(stdin, input.place, SEEK_SET);
	else if (place_of(offset) != input.place)
		lseek(STDIN_FILENO, input.place, SEEK_SET);
	errno = saved_errno;
}

void cape_input_follow(struct cape_runtime *runtime)
{
	off_t offset = own_offset(runtime);

	if (offset >= 0)
		follow(offset);
}

void cape_input_leave(struct cape_runtime *runtime)
{
	off_t offset = own_offset(runtime);
	ssize_t size = stdin->_IO_read_end - stdin->_IO_read_base;

	if (offset < 0)
		return;
	if (runtime->node > 0) {
		if (offset != input.offset)
			lseek(STDIN_FILENO, input.offset, SEEK_SET);
		offset = input.offset;
		if (size > 0 && pread(STDIN_FILENO, stdin->_IO_read_base, (size_t)size,
				      input.offset - size) != size)
			cape_fail(runtime, 0, "node %u: standard input is not the master's",
				  runtime->node);
	}
	follow(offset);
}

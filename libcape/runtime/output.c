/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * output.c - where stdout and stderr of a node lead, in and out of parallel regions.
 */
#include "runtime/output.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "channel/channel.h"

void cape_output_flush(void)
{
	int saved_errno = errno;

	fflush(NULL);
	errno = saved_errno;
}

static bool same_file(int a, int b)
{
	struct stat of_a, of_b;

	return fstat(a, &of_a) == 0 && fstat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

static void switch_one(int descriptor, int from, int to)
{
	if (same_file(descriptor, from))
		dup2(to, descriptor);
}

void cape_output_switch(bool parallel)
{
	int saved_errno = errno;

	switch_one(STDOUT_FILENO, parallel ? CAPE_NULL_FD : CAPE_STDOUT_FD,
		   parallel ? CAPE_STDOUT_FD : CAPE_NULL_FD);
	switch_one(STDERR_FILENO, parallel ? CAPE_NULL_FD : CAPE_STDERR_FD,
		   parallel ? CAPE_STDERR_FD : CAPE_NULL_FD);
	errno = saved_errno;
}

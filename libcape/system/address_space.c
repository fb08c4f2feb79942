/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * address_space.c - limits on address space, which CAPE reserves much of and uses little.
 */
#include "system/address_space.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include "system/libc.h"

/* What a node reserves in all, by far most of it for twins (private.h, channel.h). */
#define NEEDED "CAPE reserves 34 TB of addresses, which take memory only where they are used"

/* Whether the kernel counts what is reserved as if it were used. */
static bool counts_reservations(void)
{
	int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/sys/vm/overcommit_memory",
				O_RDONLY | O_CLOEXEC, 0);
	char mode = '0';

	if (file < 0)
		return false;
	if (read(file, &mode, 1) != 1)
		mode = '0';
	close(file);
	return mode == '2';
}

/* The limit that stands in the way: its letter in the shell's ulimit, or 0. */
static char find_limit(struct rlimit *limit)
{
	if (getrlimit(RLIMIT_AS, limit) == 0 && limit->rlim_cur != RLIM_INFINITY)
		return 'v';
	if (getrlimit(RLIMIT_DATA, limit) == 0 && limit->rlim_cur != RLIM_INFINITY)
		return 'd';
	return 0;
}

const char *cape_address_space_why(int error, char *text, size_t size)
{
	struct rlimit limit;
	char letter = error == ENOMEM ? find_limit(&limit) : 0;

	if (letter)
		snprintf(text, size,
			 "the limit ulimit -%c is %llu kB here, but " NEEDED
			 "; lift it: ulimit -%c unlimited",
			 letter, (unsigned long long)limit.rlim_cur / 1024, letter);
	else if (error == ENOMEM && counts_reservations())
		snprintf(text, size,
			 "vm.overcommit_memory is 2 on this machine, so reserved addresses count "
			 "as memory, but " NEEDED "; set it to 0: sysctl vm.overcommit_memory=0");
	else
		snprintf(text, size, "%s", strerror(error));
	return text;
}

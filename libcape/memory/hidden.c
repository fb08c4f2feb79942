// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * hidden.c - /proc/self/mem, which passes the protection of private memory, unless the kernel is
 * configured to refuse that.
 *
 * A page that is written so costs what one does that is opened first and then filled.
 */
#include "memory/hidden.h"

#include <errno.h>
#include <sys/syscall.h>
#include "channel/channel.h"
#include "memory/area.h"
#include "system/libc.h"
#include "system/own_status.h"

/* The program may not have so many descriptors. */
static int move_high(int low)
{
	int high = fcntl(low, F_DUPFD_CLOEXEC, CAPE_OWN_FD);

	return high < 0 ? fcntl(low, F_DUPFD_CLOEXEC, CAPE_LAST_FD + 1) : high;
}

static bool is_there(const struct cape_hidden *hidden)
{
	struct stat status;

	return hidden->file >= 0 && cape_own_status(hidden->file, &status) == 0 &&
	       status.st_dev == hidden->device && status.st_ino == hidden->inode;
}

bool cape_hidden_open(struct cape_hidden *hidden, void *probe)
{
	struct stat status = {.st_ino = 0};
	int saved = errno, file;
	char byte = 1;
	bool passes;

	file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (file < 0)
		file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC);
	cape_own_status(file, &status);
	*hidden =
		(struct cape_hidden){.file = file, .device = status.st_dev, .inode = status.st_ino};
	mprotect(probe, CAPE_PAGE, PROT_NONE);
	hidden->writes = cape_hidden_write(hidden, (uintptr_t)probe, &byte, 1);
	passes = cape_hidden_read(hidden, &byte, (uintptr_t)probe, 1);
	hidden->file = passes ? move_high(file) : -1;
	hidden->reads = hidden->file >= 0;
	hidden->writes &= hidden->reads;
	if (file >= 0)
		close(file);
	errno = saved;
	return passes;
}

void cape_hidden_close(struct cape_hidden *hidden)
{
	if (is_there(hidden))
		close(hidden->file);
	*hidden = (struct cape_hidden){.file = -1};
}

/* CALL moves LENGTH bytes between BYTES and ADDRESS: no cancellation point, as the C library's is.
 */
static bool move(const struct cape_hidden *hidden, long call, uint64_t bytes, uint64_t address,
		 uint64_t length)
{
	long moved;

	if (!is_there(hidden))
		return false;
	for (uint64_t done = 0; done < length; done += (uint64_t)moved) {
		moved = syscall(call, hidden->file, bytes + done, length - done, address + done);
		if (moved <= 0)
			return false;
	}
	return true;
}

bool cape_hidden_read(const struct cape_hidden *hidden, void *to, uint64_t from, uint64_t length)
{
	return move(hidden, SYS_pread64, (uintptr_t)to, from, length);
}

bool cape_hidden_write(const struct cape_hidden *hidden, uint64_t to, const void *from,
		       uint64_t length)
{
	return move(hidden, SYS_pwrite64, (uintptr_t)from, to, length);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * random_device.c - random bytes that are read from a device, the same on every node.
 */
#include "replica/random_device.h"

#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include "base/libc.h"
#include "replica/file_status.h"
#include "message/one_truth.h"

#define SIZE	(256 * 1024)
#define PIECE	16384
#define MEMORY	1 /* major number of the memory devices */
#define RANDOM	8
#define URANDOM 9

bool cape_is_random_device(int directory, const char *path)
{
	struct stat status;

	return cape_own_status_at(directory, path, &status, 0) == 0 && S_ISCHR(status.st_mode) &&
	       major(status.st_rdev) == MEMORY &&
	       (minor(status.st_rdev) == RANDOM || minor(status.st_rdev) == URANDOM);
}

int cape_random_device(struct cape_runtime *runtime)
{
	int file = memfd_create("cape-random", MFD_CLOEXEC);

	for (int size = 0; size < SIZE; size += PIECE) {
		unsigned char piece[PIECE] = {0};

		syscall(SYS_getrandom, piece, sizeof(piece), 0);
		cape_one_truth(runtime, piece, sizeof(piece), "open() of a random device");
		if (pwrite(file, piece, sizeof(piece), size) != sizeof(piece))
			cape_fail(runtime, 0, "node %u: no memory for random bytes", runtime->node);
	}
	return file;
}

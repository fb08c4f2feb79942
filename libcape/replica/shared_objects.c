/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * shared_objects.c - shm_open() and shm_unlink(): POSIX's shared memory is files, and treated so.
 *
 * The functions take the place of the C library's, whose own would open one object on all nodes of
 * a machine.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/context.h"
#include "system/libc.h"
#include "replica/files.h"

#define FOLDER "/dev/shm/"

/* As the C library names the file of an object.  0 or -1 and errno. */
static int path_of(const char *name, char *path, size_t size)
{
	while (*name == '/')
		name++;
	if (!*name || strchr(name, '/') || strlen(name) + sizeof(FOLDER) > size) {
		errno = strlen(name) + sizeof(FOLDER) > size ? ENAMETOOLONG : EINVAL;
		return -1;
	}
	snprintf(path, size, FOLDER "%s", name);
	return 0;
}

CAPE_FUNCTION(int, shm_open, (const char *name, int flags, mode_t mode))
{
	char path[256];

	if (path_of(name, path, sizeof(path)) < 0)
		return -1;
	return cape_files_open(path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
}

CAPE_FUNCTION(int, shm_unlink, (const char *name))
{
	char path[256];

	return path_of(name, path, sizeof(path)) < 0 ? -1 : cape_files_unlink(path);
}

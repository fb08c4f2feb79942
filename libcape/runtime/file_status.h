/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * file_status.h - what this node itself knows of a file, whoever else knows better.
 */
#ifndef CAPE_FILE_STATUS_H
#define CAPE_FILE_STATUS_H

#include <fcntl.h>
#include <sys/stat.h>

/* fstatat() of the kernel; the program's own asks node 0. */
int cape_own_status_at(int directory, const char *path, struct stat *status, int flags);

static inline int cape_own_status(int descriptor, struct stat *status)
{
	return cape_own_status_at(descriptor, "", status, AT_EMPTY_PATH);
}

#endif

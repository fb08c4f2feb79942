/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * own_status.h - what this node's kernel knows of a file; the program's own stat() asks node 0.
 */
#ifndef CAPE_OWN_STATUS_H
#define CAPE_OWN_STATUS_H

#include <sys/stat.h>
#include <sys/syscall.h>
#include "system/libc.h"

/* As fstatat(). */
static inline int cape_own_status_at(int directory, const char *path, struct stat *status,
				     int flags)
{
	return (int)syscall(SYS_newfstatat, directory, path, status, flags);
}

/* As fstat(). */
static inline int cape_own_status(int descriptor, struct stat *status)
{
	return (int)syscall(SYS_fstat, descriptor, status);
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * file_status.h - what this node itself knows of a file, whoever else knows better.
 */
#ifndef CAPE_FILE_STATUS_H
#define CAPE_FILE_STATUS_H

#include <sys/stat.h>

/* fstatat() of the kernel; the program's own asks node 0. */
int cape_own_status_at(int directory, const char *path, struct stat *status, int flags);

int cape_own_status(int descriptor, struct stat *status);

#endif

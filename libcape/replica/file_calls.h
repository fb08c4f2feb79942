/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * file_calls.h - system calls on descriptors, wherever the program makes them.
 */
#ifndef CAPE_FILE_CALLS_H
#define CAPE_FILE_CALLS_H

#include <sys/stat.h>
#include <sys/types.h>
#include "channel/file_request.h"

/* As the calls of these names, for files that nodes share and for any other. */
ssize_t cape_file_read(int descriptor, void *to, size_t size);
ssize_t cape_file_write(int descriptor, const void *from, size_t size);
off_t cape_file_seek(int descriptor, off_t offset, int whence);
int cape_file_close(int descriptor);
ssize_t cape_file_read_at(int descriptor, void *to, size_t size, off_t offset);
ssize_t cape_file_write_at(int descriptor, const void *from, size_t size, off_t offset);

/* Whether DESCRIPTOR is this node's own: the kernel may be asked without the functions above. */
bool cape_file_is_plain(int descriptor);

/* As fcntl(DESCRIPTOR, COMMAND, TO); COMMAND below 0: dup3() with FLAGS, or dup2() below 0. */
int cape_file_duplicate(int descriptor, int command, int to, int flags);

/* CAPE_FILE_TRUNCATE, CAPE_FILE_ALLOCATE or CAPE_FILE_SYNC (channel/file_request.h). */
int cape_file_change(int descriptor, struct cape_service_request request);
int cape_file_status(int descriptor, struct stat *status);

#endif

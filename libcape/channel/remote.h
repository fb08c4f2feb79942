/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * remote.h - reading the memory of a program that runs on.
 */
#ifndef CAPE_REMOTE_H
#define CAPE_REMOTE_H

#include <stdint.h>
#include <sys/types.h>
#include "channel/range.h"

/*
 * Reads stretches of pages of PROGRAM, CAPE_FETCH_STRETCHES at most, to TO, one after the other,
 * protected or not.  0; -ESRCH: the program has ended; or -errno of the page *WRONG.
 */
int cape_remote_read(pid_t program, const struct cape_range *stretch, uint32_t stretches,
		     unsigned char *to, uint64_t *wrong);

/*
 * Reads COUNT pieces of PROGRAM's memory, CAPE_REMOTE_PIECES at most, to the same places of this
 * one's, which can be written.  0 or -errno.
 */
#define CAPE_REMOTE_PIECES 512u
int cape_remote_copy(pid_t program, const struct cape_range *range, uint32_t count);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.h - a symbol of the files that a process has mapped.
 */
#ifndef CAPE_PLACE_H
#define CAPE_PLACE_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Where TEXT, "NAME" or "NAME+BYTES", lies in process PID, by the symbol tables of its program and
 * libraries, in the order of their addresses.  SIZE, unless it is NULL: how many bytes it has from
 * there, or 0 if that is not known.  0, ENOENT, or another errno.
 */
int place_find(pid_t pid, const char *text, uint64_t *address, uint64_t *size);

#endif

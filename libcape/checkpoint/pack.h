/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pack.h - making bytes fewer for their way through a network: quick rather than thorough, for
 * memory of programs, whose words are mostly like those before them.
 */
#ifndef CAPE_PACK_H
#define CAPE_PACK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Writes SIZE bytes to TO, packed, which has room for as many; returns how many that takes, less
 * than SIZE, or 0: it is not worth it.
 */
size_t cape_pack(const void *from, size_t size, void *to);

/* The SIZE bytes that the PACKED ones were.  0 or -EPROTO. */
int cape_unpack(const void *from, size_t packed, void *to, size_t size);

/*
 * A message that tells itself whether it is packed, for which TO has room for CAPE_PACK_HEAD more
 * than SIZE; returns its size.
 */
#define CAPE_PACK_HEAD sizeof(uint64_t)
size_t cape_pack_message(const void *from, size_t size, void *to);

/* Returns the size of what was in it, which has room for ROOM at TO, or -EPROTO. */
ssize_t cape_unpack_message(const void *from, size_t packed, void *to, size_t room);

#endif

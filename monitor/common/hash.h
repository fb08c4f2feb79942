/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash.h - checksums by which two machines compare their files.
 */
#ifndef CAPE_COMMON_HASH_H
#define CAPE_COMMON_HASH_H

#include <stdint.h>

/* Of the bytes of the file PATH; 0: it cannot be read, or is no regular file. */
uint64_t hash_of_file(const char *path);

#endif

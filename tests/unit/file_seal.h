/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_seal.h - right checksums for a changed checkpoint, so that its reader looks further.
 */
#ifndef CAPE_TEST_FILE_SEAL_H
#define CAPE_TEST_FILE_SEAL_H

#define XXH_INLINE_ALL
#include <xxhash.h>
#include "file/layout.h"

/* Makes all checksums right, as far as the sections can be followed. */
static inline void file_seal(unsigned char *bytes, size_t size)
{
	size_t at = FILE_HEAD_SIZE;
	uint64_t seed;

	if (size < FILE_HEAD_SIZE)
		return;
	seed = XXH64(bytes, FILE_HEAD_SIZE - 8, 0);
	file_put(bytes + FILE_HEAD_SIZE - 8, seed, 8);
	while (size - at >= FILE_HEADER_SIZE) {
		uint64_t stored = file_get(bytes + at + 16, 8);

		if (stored > size - at - FILE_HEADER_SIZE)
			stored = size - at - FILE_HEADER_SIZE;
		file_put(bytes + at + 48, XXH64(bytes + at + FILE_HEADER_SIZE, stored, 0), 8);
		seed = XXH64(bytes + at, FILE_HEADER_SIZE - 8, seed);
		file_put(bytes + at + 56, seed, 8);
		at += FILE_HEADER_SIZE + stored;
	}
}

#endif

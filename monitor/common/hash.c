/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash.c - hashes a file by xxHash.
 */
#include "hash.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_of_file(const char *path)
{
	uint64_t hash = 0;
	struct stat status;
	int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	void *bytes;

	if (file < 0 || fstat(file, &status) < 0 || !S_ISREG(status.st_mode))
		goto out;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (bytes == MAP_FAILED)
		goto out;
	hash = XXH3_64bits(bytes, (size_t)status.st_size) | 1;
	munmap(bytes, (size_t)status.st_size);
out:
	if (file >= 0)
		close(file);
	return hash;
}

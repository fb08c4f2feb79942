// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file.c - any bytes as a checkpoint: its reader tells what is wrong, whatever it is.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../file_seal.h"
#include "file/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Checksums, magic and version, which no fuzzer guesses, are made right. */
static void repair(unsigned char *bytes, size_t size)
{
	if (size < FILE_HEAD_SIZE)
		return;
	file_put(bytes, FILE_MAGIC, 8);
	file_put(bytes + 8, FILE_VERSION, 4);
	file_put(bytes + 12, FILE_HEAD_SIZE, 4);
	file_seal(bytes, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	unsigned char *repaired = malloc(size + 1);
	int file = memfd_create("checkpoint", 0);
	struct file_reader *reader;
	struct file_error error;
	char path[64];

	if (!repaired || file < 0)
		abort();
	if (size)
		memcpy(repaired, bytes, size);
	repair(repaired, size);
	if (write(file, repaired, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (file_reader_open(&reader, path, &error) == 0)
		file_verify(reader, &error);
	file_reader_close(reader);
	close(file);
	free(repaired);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout.h - the bytes of version 1 (README.md), for writer and reader.
 */
#ifndef CAPE_FILE_LAYOUT_H
#define CAPE_FILE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include "file/file.h"
#include "paper/encode.h"

#define FILE_MAGIC	    0x0a1a0a0d504b4389ull /* 89 C K P, line ends as they get lost */
#define FILE_VERSION	    1
#define FILE_HEAD_SIZE	    96
#define FILE_HEADER_SIZE    64 /* of a section */
#define FILE_FEATURE_ZSTD   1ull
#define FILE_FEATURE_SAME   2ull
#define FILE_FEATURES	    3ull /* all that are known */
#define FILE_BLOCK_LIMIT    (1ull << 20)
#define FILE_CONTENTS_LIMIT (1ull << 28)
#define FILE_OPERAND_SIZE   40

enum file_packing { FILE_PLAIN, FILE_ZSTD, FILE_ZEROS, FILE_SAME };

static inline void file_put(unsigned char *at, uint64_t number, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		at[i] = (unsigned char)(number >> 8 * i);
}

static inline uint64_t file_get(const unsigned char *at, unsigned width)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < width; i++)
		number |= (uint64_t)at[i] << 8 * i;
	return number;
}

static inline struct cape_format file_runs_format(const struct file_head *head)
{
	struct cape_format format = CAPE_FORMAT(CAPE_COMPACT);

	format.page_size = head->page_size;
	return format;
}

static inline bool file_has_address(const struct file_section *section)
{
	return section->kind == FILE_MEMORY || section->kind == FILE_RUNS;
}

/* The checksum of SIZE bytes, XXH64. */
uint64_t file_sum(const void *bytes, uint64_t size, uint64_t seed);

/*
 * Writes the head and returns its checksum.  Reads it, all but magic, version and checksum; false:
 * a number is none that it can be.
 */
uint64_t file_head_put(const struct file_head *head, unsigned char *bytes);
bool file_head_get(struct file_head *head, const unsigned char *bytes);

/*
 * Writes a section's header for contents whose checksum is SUM, after one whose checksum is SEED,
 * and returns its own.  Reads it, all but its checksums.
 */
uint64_t file_section_put(const struct file_section *section, uint64_t sum, uint64_t seed,
			  unsigned char *bytes);
void file_section_get(struct file_section *section, const unsigned char *bytes);

/* Notes what went wrong at OFFSET of PATH. */
void file_error_note(struct file_error *error, int number, const char *path, uint64_t offset,
		     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The same, and is -NUMBER, a constant. */
#define FILE_ERROR(error, number, ...) (file_error_note(error, number, __VA_ARGS__), -(number))

#endif

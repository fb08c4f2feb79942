/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - reading a checkpoint from a file, which may be damaged, or anybody's.
 *
 * Opening checks the head and all headers of sections, reading checks the contents.  The functions
 * return 0 or -errno (-EBADMSG: the file is no sound checkpoint), and then *ERROR describes it.
 */
#ifndef CAPE_FILE_READER_H
#define CAPE_FILE_READER_H

#include "file/file.h"
#include "paper/checkpoint.h"

struct file_reader;

/* Whether the file begins as one of ours does. */
bool file_is_checkpoint(const char *path);

/* What the file at PATH says of itself first, which alone is read.  False: it is none of ours. */
bool file_read_head(const char *path, struct file_head *head);

int file_reader_open(struct file_reader **reader, const char *path, struct file_error *error);
/* Reads all of it, too. */
int file_reader_open_sound(struct file_reader **reader, const char *path, struct file_error *error);
void file_reader_close(struct file_reader *reader); /* NULL: nothing */

const char *file_reader_path(const struct file_reader *reader);
const struct file_head *file_reader_head(const struct file_reader *reader);
uint64_t file_reader_size(const struct file_reader *reader);	 /* bytes of the file */
uint64_t file_reader_identity(const struct file_reader *reader); /* see file_writer_commit() */

/* Its sections, in their order. */
size_t file_reader_sections(const struct file_reader *reader);
const struct file_section *file_reader_section(const struct file_reader *reader, size_t i);

/* The first section of NAME and NUMBER; file_reader_sections() when there is none. */
size_t file_reader_find(const struct file_reader *reader, const char *name, uint32_t number);
bool file_reader_has(const struct file_reader *reader, const char *name); /* number 0 */

/*
 * The contents of section I, a block of MEMORY that is stored or one that is NAMED: its SIZE bytes,
 * verified, until the reader is asked for another.
 */
int file_read(struct file_reader *reader, size_t i, const unsigned char **bytes,
	      struct file_error *error);

/*
 * The same of the first section of NAME and number 0, of SIZE bytes.  NULL: there is none, and
 * ERROR->number is 0, or it cannot be read.
 */
const unsigned char *file_read_named(struct file_reader *reader, const char *name, uint64_t *size,
				     struct file_error *error);

/* Whether section I is MEMORY that is all zeros, of any size. */
bool file_is_zeros(const struct file_reader *reader, size_t i);

/* Whether section I is MEMORY that is as in the file before (chain.h), of any size. */
bool file_is_same(const struct file_reader *reader, size_t i);

/* Section I, which is RUNS: which, and their bytes, in the order of the runs, both until then. */
int file_read_runs(struct file_reader *reader, size_t i, const struct cape_runs **runs,
		   const unsigned char **bytes, struct file_error *error);

/* Appends section I, which is OPERANDS, to CHECKPOINT, which has none yet. */
int file_read_operands(struct file_reader *reader, size_t i, struct cape_checkpoint *checkpoint,
		       struct file_error *error);

/* Reads all of the file. */
int file_verify(struct file_reader *reader, struct file_error *error);

#endif

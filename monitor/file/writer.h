/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer.h - writing a checkpoint to a file.
 *
 * The functions return 0 or -errno, and then *ERROR describes it; once one has failed, all that
 * follow fail alike, and only file_writer_abort() is left.
 */
#ifndef CAPE_FILE_WRITER_H
#define CAPE_FILE_WRITER_H

#include "file/file.h"
#include "paper/checkpoint.h"
#include "paper/encode.h"

struct file_writer;

/*
 * Begins a file that will be NAME in FOLDER; until then it is NAME.partial.XXXXXXXX there, which
 * whoever finds it when the writer is dead may remove.  It gets the mode of an older file of that
 * name; -EINVAL: what has that name is no regular file.
 */
int file_writer_open(struct file_writer **writer, const char *folder, const char *name,
		     const struct file_head *head, struct file_error *error);

/*
 * Adds the SIZE bytes at BYTES, which are the program's from ADDRESS on.  Stretches of zeros are
 * left out; what shrinks is packed.  Memory, here and below, comes in the order of time-stamps,
 * of one in the order of addresses, without overlap; else -EINVAL.  A large piece may come in
 * parts, best of a multiple of FILE_BLOCK bytes.
 */
#define FILE_BLOCK (128ul << 10)
int file_write_memory(struct file_writer *writer, struct cape_stamp stamp, uint64_t address,
		      const void *bytes, uint64_t size, struct file_error *error);

/* The same, of zeros. */
int file_write_zeros(struct file_writer *writer, struct cape_stamp stamp, uint64_t address,
		     uint64_t size, struct file_error *error);

/*
 * Says that SIZE bytes from ADDRESS on are as in the file before, which has them; only an INCREMENT
 * may.
 */
int file_write_same(struct file_writer *writer, struct cape_stamp stamp, uint64_t address,
		    uint64_t size, struct file_error *error);

/* Adds the bytes of RUNS, and no other, which MEMORY's read() gives. */
int file_write_runs(struct file_writer *writer, struct cape_stamp stamp,
		    const struct cape_runs *runs, const struct cape_reader *memory,
		    struct file_error *error);

/* Adds the operands of CHECKPOINT, if there are any; at most once. */
int file_write_operands(struct file_writer *writer, const struct cape_checkpoint *checkpoint,
			struct file_error *error);

/* Adds SIZE bytes for whoever knows NAME, of at most 16 bytes, and NUMBER. */
int file_write_named(struct file_writer *writer, const char *name, uint32_t number,
		     const void *bytes, uint64_t size, struct file_error *error);

/* Bytes written so far. */
uint64_t file_writer_size(const struct file_writer *writer);

/*
 * Ends the file, waits until it is on the disk, and gives it its name, which an older file of that
 * name loses at the same instant.  *IDENTITY, unless NULL: what the next increment has as
 * PREVIOUS.  WRITER is gone, and after a failure the file, too, unless all that failed was to bring
 * its name to the disk.
 */
int file_writer_commit(struct file_writer *writer, uint64_t *identity, struct file_error *error);

/* Removes what there is of the file.  WRITER, which may be NULL, is gone. */
void file_writer_abort(struct file_writer *writer);

#endif

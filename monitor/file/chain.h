/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain.h - an increment and the files that it goes on from, read as one file of all memory.
 *
 * The functions return 0 or -errno (-EBADMSG: a file is damaged, or not the one that the next goes
 * on from), and then *ERROR names that file.
 */
#ifndef CAPE_FILE_CHAIN_H
#define CAPE_FILE_CHAIN_H

#include "file/reader.h"

struct file_chain;

/* Some memory, which is zeros if it is not stored. */
struct file_piece {
	uint64_t address, size;
	bool stored;
	const unsigned char *bytes; /* if they were read; until the next piece is asked for */
};

/*
 * Opens the last of FILES files, 1 or more, and those before it that it goes on from, down to one
 * that is no increment.
 */
int file_chain_open(struct file_chain **chain, char *const *paths, size_t files,
		    struct file_error *error);
void file_chain_close(struct file_chain *chain); /* NULL: nothing */

/* How many they are. */
size_t file_chain_length(const struct file_chain *chain);

/* The newest, whose head and named sections count. */
struct file_reader *file_chain_newest(struct file_chain *chain);

/* The next piece, of rising addresses; one of no size is the end. */
int file_chain_next(struct file_chain *chain, struct file_piece *piece, struct file_error *error);

/* The same, without reading it; and reading the piece that was found last. */
int file_chain_step(struct file_chain *chain, struct file_piece *piece, struct file_error *error);
int file_chain_read(struct file_chain *chain, struct file_piece *piece, struct file_error *error);

#endif

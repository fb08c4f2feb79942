/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * content.h - a file as a checkpoint in memory, and back.
 */
#ifndef CAPE_CKPT_CONTENT_H
#define CAPE_CKPT_CONTENT_H

#include <stdbool.h>
#include "file/reader.h"
#include "file/writer.h"
#include "paper/checkpoint.h"
#include "paper/encode.h"

struct content {
	struct file_reader *reader;
	struct cape_checkpoint checkpoint;
	struct cape_buffer nodes; /* whose files it is made of (nodes.h) */
	bool rest;		  /* another file's memory was taken out of it */
};

/* Reads all of the file PATH.  False: a message says why not, and there is nothing to free. */
bool content_read(struct content *content, const char *path);
void content_free(struct content *content);

/* Whether it says all that it is about; an increment does not; a message says so. */
bool content_is_whole(const struct content *content);

/* Opens the file PATH; NULL: a message says why not. */
struct file_reader *content_open(const char *path);

/* Reads all of the file PATH.  False: a message says what is wrong with it. */
bool content_verify(const char *path);

/*
 * Writes the checkpoint to the file PATH, with the head and the named sections of the reader's.
 * False: a message says why not.
 */
bool content_write(const char *path, struct content *content);

/*
 * Writes the file PATH with HEAD, and what PUT, given CONTEXT, puts there; it returns 0 or -errno
 * with its error.  False: a message says why not.
 */
typedef int content_put(struct file_writer *writer, void *context, struct file_error *error);
bool content_make(const char *path, const struct file_head *head, content_put *put, void *context);

/*
 * Where what is written to PATH goes, both to be freed: to PATH, or to where it leads as a link.
 * False: a message says why.
 */
bool content_place(const char *path, char **folder, char **name);

/* For a CONTENT_PUT: the named sections of FROM, but for that of nodes.h. */
int content_put_named(struct file_writer *writer, struct file_reader *from,
		      struct file_error *error);

/* Where in CHECKPOINT bytes were asked for last: the next are not far, as a rule. */
struct content_cursor {
	const struct cape_checkpoint *checkpoint;
	size_t member;
	uint64_t passed; /* bytes of the members before */
};

/* The LENGTH bytes at ADDRESS; NULL: they are not all there. */
const unsigned char *content_bytes(struct content_cursor *cursor, uint64_t address,
				   uint64_t length);

/* Reads the memory that CURSOR goes through; -ENODATA where it is not all there. */
struct cape_reader content_reader(struct content_cursor *cursor);

/* Pieces of one time-stamp that touch are one run.  False: a message says that there is no memory.
 */
bool content_runs(const struct cape_checkpoint *checkpoint, struct cape_runs *runs);

/* FAILED, 0 or -errno, which ERROR says of the reader's file. */
int content_note(struct file_error *error, const struct file_reader *reader, int failed);

/* Reports to the user what is wrong; is false. */
bool content_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partial.h - a file that has its name when it is whole, and until then one that nobody knows.
 */
#ifndef CAPE_FILE_PARTIAL_H
#define CAPE_FILE_PARTIAL_H

#include <sys/types.h>
#include "file/file.h"

struct file_partial {
	int file; /* open for writing */
	int folder;
	char *path; /* FOLDER/NAME, for messages */
	char *name; /* in PATH */
	char *partial;
	mode_t mode; /* of an older file of this user's; 0: there is none */
};

/*
 * Begins a file that will be NAME in FOLDER; until then it is NAME.partial.XXXXXXXX there.  It
 * holds memory of a process, so that a new one is for its owner alone. Returns 0 or -errno with its
 * ERROR, and then there is nothing to end; -EINVAL: what has that name is no regular file.
 */
int file_partial_open(struct file_partial *partial, const char *folder, const char *name,
		      struct file_error *error);

/*
 * Waits until it is on the disk, and gives it its name, which an older file of that name loses at
 * the same instant, and that file's mode.  After a failure, -errno with its ERROR, there is no
 * file, unless all that failed was to bring its name to the disk.
 */
int file_partial_commit(struct file_partial *partial, struct file_error *error);

/* Removes what there is of the file. */
void file_partial_abort(struct file_partial *partial);

#endif

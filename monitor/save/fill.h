/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fill.h - a node's file of a set, from which the memory of a process is filled: batch by batch,
 * each by several threads at once, straight from what they read.
 *
 * The functions return 0 or -errno, and then *ERROR says what is wrong.
 */
#ifndef CAPE_SAVE_FILL_H
#define CAPE_SAVE_FILL_H

#include <sys/types.h>
#include "channel/range.h"
#include "file/chain.h"
#include "set.h"

#define FILL_THREADS 4

/* What a thread reads by: all of them step through the same pieces. */
struct filler {
	struct file_chain *part;
	const struct fill *fill;
	size_t number;
	int failed;
	struct file_error error;
};

/* All zero: nothing is open. */
struct fill {
	struct file_chain *part; /* by which pieces are found */
	struct filler filler[FILL_THREADS];
	size_t fillers;
	size_t pieces; /* in the batch */

	/* While it is filled. */
	pid_t process;
	const struct cape_range *needed;
	size_t count;
};

/* The file for node WHICH of the set PATH, to be read by THREADS threads, FILL_THREADS at most. */
int fill_open(struct fill *fill, const char *path, const struct file_reader *run,
	      const struct set_chain *chain, int which, size_t threads, struct file_error *error);
void fill_close(struct fill *fill);

/* The next piece, without bytes, which is in the next batch from now on; one of no size: the end.
 */
int fill_step(struct fill *fill, struct file_piece *piece, struct file_error *error);

/*
 * Writes what the pieces of the batch have of NEEDED, COUNT of them, ascending, to the memory of
 * PROCESS.  The next piece begins the next batch.
 */
int fill_put(struct fill *fill, pid_t process, const struct cape_range *needed, size_t count,
	     struct file_error *error);

#endif

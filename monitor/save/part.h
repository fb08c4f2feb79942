/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part.h - a node's part of a set: its file, with those of the sets before that it goes on from.
 */
#ifndef CAPE_SAVE_PART_H
#define CAPE_SAVE_PART_H

#include "file/chain.h"
#include "set.h"

/*
 * The part of node WHICH of the set PATH, whose file for all nodes is RUN and which goes on from
 * CHAIN.  NULL: *ERROR describes it.
 */
struct file_chain *part_open(const char *path, const struct file_reader *run,
			     const struct set_chain *chain, int which, struct file_error *error);

#endif

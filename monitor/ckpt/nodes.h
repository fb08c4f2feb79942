/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nodes.h - which nodes' files of a saved set a file is made of: one, or, once they are merged,
 * several; none is the set's file "run".
 */
#ifndef CAPE_CKPT_NODES_H
#define CAPE_CKPT_NODES_H

#include <stdbool.h>
#include "file/reader.h"
#include "paper/buffer.h"

/* The section of a merged file that has their numbers, 4 bytes each. */
#define NODES_SECTION "nodes"

/* Adds those of READER's file, as the section has them.  0 or -errno, and then *ERROR describes it.
 */
int nodes_add(struct cape_buffer *nodes, struct file_reader *reader, struct file_error *error);

/* Adds OTHER's.  0 or -ENOMEM. */
int nodes_merge(struct cape_buffer *nodes, const struct cape_buffer *other);

bool nodes_has(const struct cape_buffer *nodes, uint32_t node);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * restore.h - going on from a set: what it says of the run, and the memory for the program.
 *
 * Each node's monitor looks at all files of the set: its program says what it wants of their
 * memory.
 */
#ifndef CAPE_SAVE_RESTORE_H
#define CAPE_SAVE_RESTORE_H

#include "base/node.h"

/* Before the program starts.  0, -ENOMEM, or -ECANCELED: the run has failed. */
int restore_start(struct node *node);

/* What the run was started with, SIZE bytes to be freed; NULL: it does not go on from a set. */
void *restore_launch(struct node *node, size_t *size);

/* Whether HASH is that of the program that was saved; else the run has failed. */
bool restore_is_program(struct node *node, uint64_t hash);

/*
 * Whether the program can have a stack of SIZE bytes here, as it had: all that is mapped lies below
 * it.  Else the run has failed.
 */
bool restore_has_stack(struct node *node, uint64_t size);

/* The program has asked CAPE_REQUEST_RESTORE. */
void restore_request(struct node *node);

void restore_stop(struct node *node);

#endif

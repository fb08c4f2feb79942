/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * parts.h - what the rooms list by CAPE_SAVED (base/saved.h), written and taken back.
 */
#ifndef CAPE_SAVE_PARTS_H
#define CAPE_SAVE_PARTS_H

#include "base/saved.h"

/* Why the program cannot be saved now, as the first says that cannot; or NULL. */
const char *cape_saved_refuse(struct cape_runtime *runtime);

/* Writes what is each node's own, or what is not, to TO; the bytes of it.  TO NULL: only those. */
uint64_t cape_saved_put(struct cape_runtime *runtime, bool of_node, unsigned char *to);

/* SIZE bytes of another node's own, which is thread NUMBER of this one now. */
void cape_saved_take_other(struct cape_runtime *runtime, unsigned number, const unsigned char *from,
			   uint64_t size);

/*
 * SIZE bytes that cape_saved_put() wrote: before memory is restored; when it is, but for what is
 * each node's own in the region; and when all is.
 */
void cape_saved_take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size);
void cape_saved_enter(struct cape_runtime *runtime, const unsigned char *from, uint64_t size);
void cape_saved_finish(struct cape_runtime *runtime, const unsigned char *from, uint64_t size);

#endif

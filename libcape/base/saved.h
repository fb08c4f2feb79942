/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * saved.h - what the run time itself knows of a replica, beside its memory, and is saved with it.
 *
 * A room lists what it keeps with CAPE_SAVED, in the file that owns it.  Where that is not linked
 * there is nothing to keep; what is always to be, although nobody calls it, is CAPE_SAVED_LINKED in
 * a file that is.
 */
#ifndef CAPE_SAVED_H
#define CAPE_SAVED_H

#include "base/context.h"

#define CAPE_SAVED_NAME 24

struct cape_saved_part {
	char name[CAPE_SAVED_NAME]; /* by which it is found again */
	bool of_node;		    /* each node has its own; else all have the same */
	bool by_place; /* of two parts: in a region the one of a node is written, else the other */
	/* NULL, or why the program cannot be saved now: a sentence's end.  May be NULL. */
	const char *(*refuse)(struct cape_runtime *runtime);
	/* Writes it to TO, and returns its bytes; TO NULL: only that.  NULL: there are none. */
	uint64_t (*put)(struct cape_runtime *runtime, unsigned char *to);
	/*
	 * SIZE bytes that put() wrote; before shared memory is restored.  Ends the run when it
	 * cannot be.  May be NULL.
	 */
	void (*take)(struct cape_runtime *runtime, const unsigned char *from, uint64_t size);
	/*
	 * The same of another node, which is thread NUMBER of this one now; the bytes stay.  May be
	 * NULL: that is not needed.
	 */
	void (*take_other)(struct cape_runtime *runtime, unsigned number, const unsigned char *from,
			   uint64_t size);
	/*
	 * The same in a run that was saved inside a region, when all is restored but what is each
	 * node's own there, on the way into that region.  May be NULL.
	 */
	void (*enter)(struct cape_runtime *runtime, const unsigned char *from, uint64_t size);
	/* The same, when all memory is restored.  May be NULL. */
	void (*finish)(struct cape_runtime *runtime, const unsigned char *from, uint64_t size);
};

#define CAPE_SAVED(identifier, ...) CAPE_SAVED_AS(identifier, #identifier, __VA_ARGS__)
/* With another name in saved files, such as that of an older version. */
#define CAPE_SAVED_AS(identifier, name, ...)                                                       \
	const struct cape_saved_part cape_saved_##identifier = {name, __VA_ARGS__};                \
	static const struct cape_saved_part *const cape_saved_at_##identifier                      \
		__attribute__((section("cape_saved"), used)) = &cape_saved_##identifier

#define CAPE_SAVED_LINKED(identifier)                                                              \
	extern const struct cape_saved_part cape_saved_##identifier;                               \
	static const void *const cape_saved_link_##identifier __attribute__((used)) =              \
		&cape_saved_##identifier

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * save.h - saving the program at the end of a region, and going on from there.
 */
#ifndef CAPE_SAVE_H
#define CAPE_SAVE_H

#include "base/context.h"
#include "channel/range.h"
#include "save/mapped.h"
#include "save/own.h"

struct cape_registers;

#define CAPE_SAVE_UNSHARED 64ul

struct cape_save {
	struct cape_range
		unshared[CAPE_SAVE_UNSHARED]; /* memory that is saved, but is not shared */
	size_t count;
	const char *loaded; /* a line for each object: what it is, and where */
	uint64_t loaded_size;
	uint64_t loads;	     /* objects that had been loaded at that time */
	const char *refusal; /* why the program cannot be saved, ever; NULL: it can */
	struct cape_mapped mapped;
	struct cape_own own; /* inside a region */
	const unsigned char
		*before; /* what that was at the region's begin, in a run that goes on */
	uint64_t before_size;
	unsigned threads; /* that run regions beside the initial one */
	bool had_threads; /* the C library knows of those of the run that this goes on from */
};

/* What is loaded, as nodes compare it: text that stays. */
void cape_save_loaded(struct cape_runtime *runtime, const char *text, uint64_t size);
/* Whether anything was loaded since. */
bool cape_save_has_loaded(const struct cape_runtime *runtime);

/* SIZE bytes at START belong to the replica, although nodes do not share them. */
void cape_save_keep(struct cape_runtime *runtime, uint64_t start, uint64_t size);

/*
 * Saves the program, as the nodes have agreed to: after a region, where sequential code goes on
 * with REGISTERS and what is on the stack after them, or inside one (sync/due.h).
 */
void cape_save(struct cape_runtime *runtime, const struct cape_registers *registers);

/* The program has just begun, and goes on from where it was saved: does not return. */
void cape_restore(struct cape_runtime *runtime) __attribute__((noreturn));

#endif

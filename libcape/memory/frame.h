/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * frame.h - leaving the same stack and registers on every node behind a region.
 *
 * What a node did in a region stays behind in dead stack slots and registers, different on each
 * node.  Later variables that are not initialised would begin with it, and a node that writes what
 * happens to be there already would send no change to those that have something else there.  So
 * at a region's end the master's frame and callee-saved registers become everybody's: what is
 * alive in them is alike anyhow, and what is dead becomes alike.  The stack below is wiped.
 */
#ifndef CAPE_FRAME_H
#define CAPE_FRAME_H

#include "base/context.h"

#define CAPE_LOCALS_LIMIT   (1ul << 16)
#define CAPE_REACHING_LIMIT 32ul

/* A registered automatic variable. */
struct cape_local {
	uint64_t address;
	uint64_t size;
	const char *name;
};

/* A pointer that leads to what the region uses; for messages. */
struct cape_reaching {
	uint64_t address; /* where it leads */
	const char *name;
};

/* The callee-saved registers, as cape_end()'s entry (frame.c) pushes them. */
struct cape_registers {
	uint64_t r15, r14, r13, r12, rbx, rbp;
};

/* What the run time knows of the program's stack. */
struct cape_stack {
	struct cape_local *local;
	size_t local_count;
	struct cape_reaching reaching[CAPE_REACHING_LIMIT];
	size_t reaching_count;
	struct cape_registers *registers; /* of cape_end()'s caller, while it runs */
	uint64_t frame;			  /* callers' frames of the region's function begin here */
	uint64_t stack_start, stack_end;  /* as far as it can grow; 0: not known yet */
	/* RLIMIT_STACK in force at the start, and before CAPE raised it; exec.h. */
	uint64_t limit, limit_outside;
};

/* Bytes to send of this node's frame at the end of a region; 0 when it is not to be sent. */
uint64_t cape_frame_size(const struct cape_runtime *runtime);
void cape_frame_put(const struct cape_runtime *runtime, unsigned char *to);
/* Takes over the master's, SIZE bytes that its cape_frame_put() wrote. */
void cape_frame_take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size);

/*
 * Wipes the stack below the caller.  To be called last where the run time goes back to sequential
 * code after work that differs between nodes.
 */
void cape_frame_wipe(void);

/*
 * Where the first registered variable that ends behind AT begins, *END its end; else the end of the
 * region's frame for both.
 */
uint64_t cape_frame_next_local(const struct cape_runtime *runtime, uint64_t at, uint64_t *end);

/* Calls FUNCTION with the registers, which are on the stack as cape_frame_resume() takes them. */
typedef void (*cape_frame_kept)(struct cape_runtime *runtime,
				const struct cape_registers *registers);
void cape_frame_keep(struct cape_runtime *runtime, cape_frame_kept function);

/*
 * Goes on where cape_end(), or cape_frame_keep(), returns to, with REGISTERS, which it has left on
 * the stack; what is below them is wiped.
 */
void cape_frame_resume(const struct cape_registers *registers) __attribute__((noreturn));

#endif

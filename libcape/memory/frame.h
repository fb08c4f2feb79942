/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * frame.h - the program's own stack, which only sequential code writes to (apart.h): what of it
 * the region's function shares, and wiping what the run time leaves on it there.
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

/* The callee-saved registers, as they are on the stack before the return address. */
struct cape_registers {
	uint64_t r15, r14, r13, r12, rbx, rbp;
};

/* What the run time knows of the program's stack. */
struct cape_stack {
	struct cape_local *local;
	size_t local_count;
	struct cape_reaching reaching[CAPE_REACHING_LIMIT];
	size_t reaching_count;
	uint64_t frame;			 /* callers' frames of the region's function begin here */
	uint64_t stack_start, stack_end; /* as far as it can grow; 0: not known yet */
	/* The stack apart (apart.h): where it begins, 0: there is none; whether it is in use; who
	 * has gone there.
	 */
	uint64_t apart;
	bool in_use;
	struct cape_registers *registers;
	/* RLIMIT_STACK in force at the start, and before CAPE raised it; exec.h. */
	uint64_t limit, limit_outside;
};

/*
 * Wipes the program's stack below the caller, or below who has gone to the stack apart.  To be
 * called last where the run time goes back to sequential code after work on the program's own stack
 * that differs between nodes, as what calls the program back must do; and at a region's end for
 * what others do there without that word: handlers, and what of the C library nobody stands in for.
 */
void cape_frame_wipe(void);

/*
 * Where the first registered variable that ends after AT begins, *END its end; else the end of the
 * region's frame for both.
 */
uint64_t cape_frame_next_local(const struct cape_runtime *runtime, uint64_t at, uint64_t *end);

/* Calls FUNCTION with the registers, which are on the stack as cape_apart_resume() takes them. */
typedef void (*cape_frame_function)(struct cape_runtime *runtime,
				    const struct cape_registers *registers);
void cape_frame_keep(struct cape_runtime *runtime, cape_frame_function function);

#endif

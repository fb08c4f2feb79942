/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * access.h - a checkpoint against memory: dropping what has not changed, injecting what has.
 */
#ifndef CAPE_ACCESS_H
#define CAPE_ACCESS_H

#include "paper/checkpoint.h"

/*
 * Some memory, here or in another process.  Both functions move LENGTH bytes at ADDRESS and return
 * 0 or -errno, which the caller gets.
 */
struct cape_access {
	void *context;
	int (*read)(void *context, uint64_t address, void *bytes, size_t length);
	int (*write)(void *context, uint64_t address, const void *bytes, size_t length);
};

/*
 * Drops the elements whose byte equals that of BASE, of which only read() is used.  The members of
 * cape_diff() cover unchanged bytes too; every node holds the same base, and must drop them before
 * it merges, or an unchanged byte of one node hides the change of another.  -ENOMEM or read()'s.
 */
int cape_checkpoint_narrow(struct cape_checkpoint *checkpoint, const struct cape_access *base);

/*
 * Writes the elements to MEMORY and then combines the operands with what is there, in their order.
 * The registers are the caller's business.  An error is that of read() or write(); MEMORY then
 * holds a part of the checkpoint.
 */
int cape_checkpoint_inject(const struct cape_checkpoint *checkpoint,
			   const struct cape_access *memory);

#endif

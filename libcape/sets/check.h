/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * check.h - cape-cc --check-sets: every access of a loop against the sets that it has described.
 */
#ifndef CAPE_CHECK_SETS_H
#define CAPE_CHECK_SETS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The calling thread reads or WRITES SIZE bytes at ADDRESS, by the instruction before CODE.  Ends
 * the run if it runs a loop that was not said to do that.
 */
void cape_sets_access(uint64_t address, uint64_t size, bool writes, const void *code);

/* Whether the calling thread does not run a loop now, but describes it. */
bool cape_sets_is_telling(void);

#endif

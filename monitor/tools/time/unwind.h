/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind.h - the callers of a recorded write, by the debug information of the files that the
 * process had mapped (.eh_frame), from registers and a copy of the stack.
 */
#ifndef CAPE_UNWIND_H
#define CAPE_UNWIND_H

#include <stddef.h>
#include <stdint.h>
#include "tools/naming.h"
#include "uapi/cape_stack.h"

#define UNWIND_MOST 128

struct unwind {
	Dwfl *files; /* NULL: there is nothing to unwind by */
	const struct cape_record_stack *stack;
	uint64_t address[UNWIND_MOST];
	size_t count;
};

/* For the files of NAMING, which must stay where it is, as must UNWIND. */
void unwind_open(struct unwind *unwind, const struct naming *naming);

/*
 * Finds where RECORD's thread was, and where its callers go on: UNWIND's addresses.  All but the
 * first are after the call.  STACK is what RECORD has of it, or NULL; without it, and where it
 * leads nowhere, they are those that frame pointers led to.
 */
void unwind_record(struct unwind *unwind, const struct cape_record *record,
		   const struct cape_record_stack *stack);

#endif

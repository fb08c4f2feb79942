/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exact_loop.h - the inner loop of cape_exact_set() and cape_exact_take(), once for each kind of
 * vector unit.
 *
 * Of memory it writes to the bytes that are to change and to no others, not even what they are: a
 * thread may have changed them meanwhile.
 */
#ifndef CAPE_EXACT_LOOP_H
#define CAPE_EXACT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* LENGTH bytes; MASK has a bit for each, NULL: all count. */
struct cape_exact_bytes {
	unsigned char *memory, *twin;
	const unsigned char *data, *mask;
	uint64_t length;
};

struct cape_exact_loop {
	const char *name;
	bool (*usable)(void); /* by this CPU */
	/* TAKE: bytes of memory that differ from the twin stay. */
	void (*apply)(const struct cape_exact_bytes *bytes, bool take);
};

extern const struct cape_exact_loop cape_exact_avx512; /* x86-64 */

/* All loops, best first, then NULL; the last one runs everywhere. */
extern const struct cape_exact_loop *const cape_exact_loops[];

#endif

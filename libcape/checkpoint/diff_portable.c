// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * diff_portable.c - comparing memory without vector instructions.
 */
#include <string.h>
#include "checkpoint/diff_loop.h"

static bool always(void)
{
	return true;
}

static uint64_t changed_words(const unsigned char *memory, const unsigned char *twin)
{
	uint64_t mask = 0;

	if (memcmp(memory, twin, CAPE_CHUNK) == 0)
		return 0;
	for (unsigned word = 0; word < 64; word++) {
		uint32_t now, before;

		memcpy(&now, memory + CAPE_WORD * word, sizeof(now));
		memcpy(&before, twin + CAPE_WORD * word, sizeof(before));
		mask |= (uint64_t)(now != before) << word;
	}
	return mask;
}

static void scan(struct cape_scan *state, const unsigned char *memory, const unsigned char *twin,
		 size_t chunks, uint64_t address)
{
	static const unsigned char zeros[CAPE_CHUNK];

	for (size_t i = 0; i < chunks; i++)
		cape_scan_mask(state,
			       changed_words(memory + i * CAPE_CHUNK,
					     twin ? twin + i * CAPE_CHUNK : zeros),
			       address + i * CAPE_CHUNK);
}

const struct cape_diff_loop cape_diff_portable = {"portable", always, scan};

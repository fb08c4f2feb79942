// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * exact.c - runs with masks of the bytes that changed: writing, reading and applying them.
 */
#include "checkpoint/exact.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "checkpoint/varint.h"

static bool masked(const unsigned char *mask, uint64_t i)
{
	return !mask || mask[i / 8] >> i % 8 & 1;
}

/* Eight bytes of the mask at once: bit i of the result says whether byte i differs. */
static unsigned char differing(const unsigned char *a, const unsigned char *b, uint64_t length)
{
	unsigned char bits = 0;

	for (uint64_t i = 0; i < length; i++)
		bits |= (unsigned char)((a[i] != b[i]) << i);
	return bits;
}

static bool put_mask(unsigned char *out, const unsigned char *memory, const unsigned char *base,
		     uint64_t length)
{
	bool all = true;

	for (uint64_t i = 0; i < length; i += 8) {
		uint64_t count = length - i < 8 ? length - i : 8;

		out[i / 8] = differing(memory + i, base + i, count);
		all &= out[i / 8] == (1u << count) - 1;
	}
	return !all;
}

unsigned char *cape_exact_put(unsigned char *out, uint64_t *end, const struct cape_run *run,
			      const void *memory, const void *base)
{
	unsigned char *length;
	bool mask;

	out = cape_varint_put(out, run->address - *end);
	*end = run->address + run->length;
	length = out;
	out = cape_varint_put(out, run->length << 1);
	memcpy(out, memory, run->length);
	mask = base && put_mask(out + run->length, memory, base, run->length);
	/* The lowest bit is in the first byte, whatever the size. */
	*length |= mask;
	return out + run->length + (mask ? (run->length + 7) / 8 : 0);
}

int cape_exact_next(struct cape_exact_cursor *cursor, struct cape_exact_run *run)
{
	uint64_t gap, word, end, mask_size;

	if (cursor->at == cursor->end)
		return 0;
	if (!cape_varint_get(&cursor->at, cursor->end, &gap) ||
	    !cape_varint_get(&cursor->at, cursor->end, &word))
		return -EBADMSG;
	run->length = word >> 1;
	mask_size = word & 1 ? (run->length + 7) / 8 : 0;
	if (!run->length || run->length > (uint64_t)(cursor->end - cursor->at) ||
	    mask_size > (uint64_t)(cursor->end - cursor->at) - run->length ||
	    __builtin_add_overflow(cursor->address, gap, &run->address) ||
	    __builtin_add_overflow(run->address, run->length, &end))
		return -EBADMSG;
	run->data = cursor->at;
	run->mask = mask_size ? cursor->at + run->length : NULL;
	cursor->at += run->length + mask_size;
	cursor->address = end;
	return 1;
}

void cape_exact_set(const struct cape_exact_run *run, void *memory, void *twin)
{
	unsigned char *to = memory, *base = twin;

	if (!run->mask) {
		memcpy(to, run->data, run->length);
		memcpy(base, run->data, run->length);
		return;
	}
	for (uint64_t i = 0; i < run->length; i++)
		if (masked(run->mask, i))
			to[i] = base[i] = run->data[i];
}

void cape_exact_take(const struct cape_exact_run *run, void *memory, void *twin)
{
	unsigned char *to = memory, *base = twin;

	if (memcmp(to, base, run->length) == 0) {
		cape_exact_set(run, memory, twin);
		return;
	}
	for (uint64_t i = 0; i < run->length; i++) {
		if (!masked(run->mask, i))
			continue;
		if (to[i] == base[i])
			to[i] = run->data[i];
		base[i] = run->data[i];
	}
}

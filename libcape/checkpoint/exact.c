// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * exact.c - runs with masks of the bytes that changed: writing, reading and applying them.
 */
#include "checkpoint/exact.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "checkpoint/varint.h"

#define LOW_BITS  0x0101010101010101ull
#define HIGH_BITS (LOW_BITS << 7)

/* Up to eight bytes, of which byte i is bits 8 i and up. */
static uint64_t load(const unsigned char *at, uint64_t length)
{
	uint64_t word = 0;

	if (length == sizeof(word))
		memcpy(&word, at, sizeof(word));
	else
		memcpy(&word, at, length);
	return le64toh(word);
}

static void store(unsigned char *at, uint64_t word, uint64_t length)
{
	word = htole64(word);
	if (length == sizeof(word))
		memcpy(at, &word, sizeof(word));
	else
		memcpy(at, &word, length);
}

/* The lowest bit of each byte that is not 0. */
static uint64_t nonzero(uint64_t word)
{
	return ((((word & ~HIGH_BITS) + ~HIGH_BITS) | word) & HIGH_BITS) >> 7;
}

/* Bit i says whether byte i is not 0. */
static unsigned char gather(uint64_t word)
{
	return (unsigned char)(nonzero(word) * 0x0102040810204080ull >> 56);
}

/* All bits of byte i are bit i. */
static uint64_t spread(unsigned char bits)
{
	return nonzero(bits * LOW_BITS & 0x8040201008040201ull) * 0xff;
}

static uint64_t blend(uint64_t word, uint64_t with, uint64_t where)
{
	return (word & ~where) | (with & where);
}

static bool put_mask(unsigned char *out, const unsigned char *memory, const unsigned char *base,
		     uint64_t length)
{
	bool all = true;

	for (uint64_t i = 0; i < length; i += 8) {
		uint64_t count = length - i < 8 ? length - i : 8;

		out[i / 8] = gather(load(memory + i, count) ^ load(base + i, count));
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
	for (uint64_t i = 0; i < run->length; i += 8) {
		uint64_t count = run->length - i < 8 ? run->length - i : 8;
		uint64_t mask = spread(run->mask[i / 8]), data = load(run->data + i, count);

		store(to + i, blend(load(to + i, count), data, mask), count);
		store(base + i, blend(load(base + i, count), data, mask), count);
	}
}

void cape_exact_take(const struct cape_exact_run *run, void *memory, void *twin)
{
	unsigned char *to = memory, *base = twin;

	for (uint64_t i = 0; i < run->length; i += 8) {
		uint64_t count = run->length - i < 8 ? run->length - i : 8;
		uint64_t mask = run->mask ? spread(run->mask[i / 8]) : UINT64_MAX;
		uint64_t data = load(run->data + i, count);
		uint64_t now = load(to + i, count), was = load(base + i, count);
		uint64_t changed = nonzero(now ^ was) * 0xff;

		store(to + i, blend(now, data, mask & ~changed), count);
		store(base + i, blend(was, data, mask), count);
	}
}

int cape_exact_apply_all(const void *bytes, uint64_t size, cape_exact_apply how,
			 const struct cape_exact_memory *memory)
{
	struct cape_exact_cursor cursor;
	struct cape_exact_run run;
	unsigned char *to, *twin;
	int got;

	cape_exact_open(&cursor, bytes, size);
	while ((got = cape_exact_next(&cursor, &run)) > 0) {
		if (!memory->reach(memory->context, &run, (uint64_t)(cursor.end - cursor.at), &to,
				   &twin))
			return -EBADMSG;
		how(&run, to, twin);
	}
	return got;
}

/* Few, and as a rule in order or the other way round. */
static void sort(struct cape_exact_source *source, unsigned count)
{
	for (unsigned n = 1; n < count; n++) {
		struct cape_exact_source one = source[n];
		unsigned to = n;

		for (; to && cape_stamp_compare(source[to - 1].stamp, one.stamp) > 0; to--)
			source[to] = source[to - 1];
		source[to] = one;
	}
}

int cape_exact_merge(struct cape_exact_source *source, unsigned count,
		     const struct cape_exact_memory *memory, uint32_t *node)
{
	int error = 0;

	sort(source, count);
	for (unsigned n = 0; n < count && !error; n++) {
		*node = source[n].stamp.node;
		error = cape_exact_apply_all(source[n].bytes, source[n].size, cape_exact_set,
					     memory);
	}
	return error;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * exact.c - runs with masks of the bytes that changed: writing, reading and applying them.
 */
#include "checkpoint/exact.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "checkpoint/exact_loop.h"
#include "checkpoint/varint.h"

#define LOW_BITS  0x0101010101010101ull
#define HIGH_BITS (LOW_BITS << 7)
#define SHORT	  32u /* bytes: not worth to ask for a vector unit */

/* What goes with a run's length. */
#define MASKED	    1u
#define YIELDS	    2u
#define LENGTH_FROM 2u

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

/*
 * Of the LENGTH bytes at AT those of WHERE become WORD's.  No other byte is written to, not even
 * what it is: a thread may have changed it meanwhile.  Without branches, which masks of many kinds
 * would mislead.
 */
static void store_where(unsigned char *at, uint64_t word, uint64_t where, uint64_t length)
{
	unsigned char nowhere[8], *to[2] = {nowhere, at};

	if (where == UINT64_MAX) {
		store(at, word, length);
		return;
	}
#pragma GCC unroll 8
	for (uint64_t i = 0; i < 8; i++)
		to[i < length && (where >> 8 * i & 1)][i] = (unsigned char)(word >> 8 * i);
}

static bool put_mask(unsigned char *out, const unsigned char *bytes, const unsigned char *base,
		     uint64_t length)
{
	bool all = true;

	for (uint64_t i = 0; i < length; i += 8) {
		uint64_t count = length - i < 8 ? length - i : 8;

		out[i / 8] = gather(load(bytes + i, count) ^ load(base + i, count));
		all &= out[i / 8] == (1u << count) - 1;
	}
	return !all;
}

/* Reads memory once; what was copied is compared.  *COPY: where the bytes are. */
static unsigned char *put(unsigned char *out, uint64_t *end, const struct cape_run *run,
			  const void *memory, const void *base, unsigned flags,
			  const unsigned char **copy)
{
	unsigned char *length;
	bool mask;

	out = cape_varint_put(out, run->address - *end);
	*end = run->address + run->length;
	length = out;
	out = cape_varint_put(out, run->length << LENGTH_FROM);
	*copy = memcpy(out, memory, run->length);
	mask = base && put_mask(out + run->length, out, base, run->length);
	/* The lowest bits are in the first byte, whatever the size. */
	*length |= (unsigned char)(flags | (mask ? MASKED : 0));
	return out + run->length + (mask ? (run->length + 7) / 8 : 0);
}

unsigned char *cape_exact_put(unsigned char *out, uint64_t *end, const struct cape_run *run,
			      const void *memory, const void *base)
{
	const unsigned char *copy;

	return put(out, end, run, memory, base, 0, &copy);
}

unsigned char *cape_exact_collect(unsigned char *out, uint64_t *end, const struct cape_run *run,
				  const void *memory, void *twin, bool yields)
{
	const unsigned char *copy;

	out = put(out, end, run, memory, twin, yields ? YIELDS : 0, &copy);
	memcpy(twin, copy, run->length);
	return out;
}

unsigned char *cape_exact_put_masked(unsigned char *out, uint64_t *end,
				     const struct cape_exact_run *run, const unsigned char *mask)
{
	out = cape_varint_put(out, run->address - *end);
	*end = run->address + run->length;
	out = cape_varint_put(out,
			      run->length << LENGTH_FROM | MASKED | (run->yields ? YIELDS : 0));
	memcpy(out, run->data, run->length);
	memcpy(out + run->length, mask, (run->length + 7) / 8);
	return out + run->length + (run->length + 7) / 8;
}

int cape_exact_next(struct cape_exact_cursor *cursor, struct cape_exact_run *run)
{
	uint64_t gap, word, end, mask_size;

	if (cursor->at == cursor->end)
		return 0;
	if (!cape_varint_get(&cursor->at, cursor->end, &gap) ||
	    !cape_varint_get(&cursor->at, cursor->end, &word))
		return -EBADMSG;
	run->length = word >> LENGTH_FROM;
	run->yields = word & YIELDS;
	mask_size = word & MASKED ? (run->length + 7) / 8 : 0;
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

static void apply_portable(const struct cape_exact_bytes *bytes, bool take)
{
	for (uint64_t i = 0; i < bytes->length; i += 8) {
		uint64_t count = bytes->length - i < 8 ? bytes->length - i : 8;
		uint64_t counting = bytes->mask ? spread(bytes->mask[i / 8]) : UINT64_MAX;
		uint64_t data = load(bytes->data + i, count);
		uint64_t was = load(bytes->twin + i, count), changed = 0;

		if (take)
			changed = nonzero(load(bytes->memory + i, count) ^ was) * 0xff;
		store_where(bytes->memory + i, data, counting & ~changed, count);
		store(bytes->twin + i, blend(was, data, counting), count);
	}
}

static bool always(void)
{
	return true;
}

static const struct cape_exact_loop portable = {"portable", always, apply_portable};

const struct cape_exact_loop *const cape_exact_loops[] = {
#if defined(__x86_64__)
	&cape_exact_avx512,
#endif
	&portable,
	NULL,
};

static const struct cape_exact_loop *best_loop(void)
{
#if defined(__x86_64__)
	if (cape_exact_avx512.usable())
		return &cape_exact_avx512;
#endif
	return &portable;
}

static void apply(const struct cape_exact_run *run, void *memory, void *twin, bool take)
{
	struct cape_exact_bytes bytes = {memory, twin, run->data, run->mask, run->length};

	if (bytes.length < SHORT)
		apply_portable(&bytes, take);
	else
		best_loop()->apply(&bytes, take);
}

void cape_exact_set(const struct cape_exact_run *run, void *memory, void *twin)
{
	if (run->mask) {
		apply(run, memory, twin, false);
		return;
	}
	memcpy(memory, run->data, run->length);
	memcpy(twin, run->data, run->length);
}

void cape_exact_take(const struct cape_exact_run *run, void *memory, void *twin)
{
	apply(run, memory, twin, true);
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

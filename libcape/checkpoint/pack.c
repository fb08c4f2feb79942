// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pack.c - blocks of eight words, each XOR the one before it, without the bytes that are zero then.
 *
 * Of the words of a block the first bytes come first, then the second ones ...: in numbers that are
 * near each other some of these planes are all zero.  Two bits say of a plane what of it follows.
 */
#include "pack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define WORDS 8
#define BLOCK (WORDS * sizeof(uint64_t))

/* What is packed takes at most so much of what it was; the beginning tells soon. */
#define WORTH(size)   ((size) - (size) / 8)
#define SOON	      2048
#define SPARSE	      6 /* bytes of a plane that are not zero: at most so many, with a mask */
#define BLOCK_PACKED  (sizeof(uint16_t) + BLOCK)
#define PLANE_NOTHING 0u
#define PLANE_SPARSE  1u
#define PLANE_WHOLE   2u

static inline __attribute__((always_inline)) void swap_at(uint64_t *words, int distance,
							  uint64_t low)
{
#pragma GCC unroll 8
	for (int i = 0; i < WORDS; i++) {
		uint64_t moved;

		if (i & distance)
			continue;
		moved = ((words[i] >> 8 * distance) ^ words[i + distance]) & low;
		words[i] ^= moved << 8 * distance;
		words[i + distance] ^= moved;
	}
}

/* Byte I of word J becomes byte J of word I. */
static void turn(uint64_t *words)
{
	swap_at(words, 4, 0x00000000ffffffff);
	swap_at(words, 2, 0x0000ffff0000ffff);
	swap_at(words, 1, 0x00ff00ff00ff00ff);
}

/* A one for each byte of PLANE that is not zero, in its place. */
static uint64_t ones_of(uint64_t plane)
{
	const uint64_t rest = 0x7f7f7f7f7f7f7f7f;

	return (((plane & rest) + rest) | plane) >> 7 & 0x0101010101010101;
}

/* How many ONES there are; bit I: whether there is one in byte I. */
static unsigned count_of(uint64_t ones)
{
	return (unsigned)(ones * 0x0101010101010101 >> 56);
}

static unsigned char mask_of(uint64_t ones)
{
	return (unsigned char)(ones * 0x0102040810204080 >> 56);
}

/* The bytes of PLANE where there are ONES, after a mask of them; returns where they end. */
static unsigned char *put_sparse(uint64_t plane, uint64_t ones, unsigned char *to)
{
	*to++ = mask_of(ones);
	for (; ones; ones &= ones - 1)
		*to++ = (unsigned char)(plane >> __builtin_ctzll(ones));
	return to;
}

/* Writes PLANE to *TO, and moves that; returns how. */
static unsigned put_plane(uint64_t plane, unsigned char **to)
{
	uint64_t ones = ones_of(plane);

	if (!plane)
		return PLANE_NOTHING;
	if (count_of(ones) <= SPARSE) {
		*to = put_sparse(plane, ones, *to);
		return PLANE_SPARSE;
	}
	memcpy(*to, &plane, sizeof(plane));
	*to += sizeof(plane);
	return PLANE_WHOLE;
}

/* Returns where it ends. */
static unsigned char *put_block(const unsigned char *from, uint64_t *last, unsigned char *to)
{
	uint64_t word[WORDS], before = *last;
	unsigned char *start = to;
	uint16_t how = 0;

	memcpy(word, from, BLOCK);
	*last = word[WORDS - 1];
	for (int i = 0; i < WORDS; i++) {
		uint64_t now = word[i];

		word[i] ^= before;
		before = now;
	}
	turn(word);
	to += sizeof(how);
	for (int i = 0; i < WORDS; i++)
		how |= (uint16_t)(put_plane(word[i], &to) << 2 * i);
	memcpy(start, &how, sizeof(how));
	return to;
}

size_t cape_pack(const void *from, size_t size, void *to)
{
	const unsigned char *in = from;
	unsigned char *out = to;
	size_t rest = size % BLOCK, done = 0, used = 0;
	uint64_t last = 0;

	for (; done + BLOCK <= size; done += BLOCK) {
		/* A block may need more room than it will take. */
		if (used + BLOCK_PACKED + WORDS + rest > WORTH(size) ||
		    (done == SOON && used > WORTH(SOON)))
			return 0;
		used = (size_t)(put_block(in + done, &last, out + used) - out);
	}
	if (used + rest > WORTH(size) || used + rest == size)
		return 0;
	memcpy(out + used, in + done, rest);
	return used + rest;
}

/* What is left to be read. */
struct packed {
	const unsigned char *at;
	size_t left;
};

static bool take(struct packed *packed, void *to, size_t size)
{
	if (size > packed->left)
		return false;
	memcpy(to, packed->at, size);
	packed->at += size;
	packed->left -= size;
	return true;
}

static bool take_sparse(struct packed *packed, uint64_t *plane)
{
	unsigned char mask;

	if (!take(packed, &mask, 1) || (size_t)__builtin_popcount(mask) > packed->left)
		return false;
	*plane = 0;
	for (unsigned rest = mask; rest; rest &= rest - 1, packed->left--)
		*plane |= (uint64_t)*packed->at++ << 8 * __builtin_ctz(rest);
	return true;
}

static bool take_plane(struct packed *packed, unsigned how, uint64_t *plane)
{
	switch (how) {
	case PLANE_NOTHING:
		*plane = 0;
		return true;
	case PLANE_SPARSE:
		return take_sparse(packed, plane);
	case PLANE_WHOLE:
		return take(packed, plane, sizeof(*plane));
	default:
		return false;
	}
}

static bool take_block(struct packed *packed, uint64_t *last, unsigned char *to)
{
	uint64_t word[WORDS];
	uint16_t how;

	if (!take(packed, &how, sizeof(how)))
		return false;
	for (int i = 0; i < WORDS; i++)
		if (!take_plane(packed, how >> 2 * i & 3u, &word[i]))
			return false;
	turn(word);
	for (int i = 0; i < WORDS; i++)
		*last = word[i] ^= *last;
	memcpy(to, word, BLOCK);
	return true;
}

int cape_unpack(const void *from, size_t packed, void *to, size_t size)
{
	struct packed left = {from, packed};
	unsigned char *out = to;
	uint64_t last = 0;
	size_t done = 0;

	for (; done + BLOCK <= size; done += BLOCK)
		if (!take_block(&left, &last, out + done))
			return -EPROTO;
	return take(&left, out + done, size - done) && !left.left ? 0 : -EPROTO;
}

size_t cape_pack_message(const void *from, size_t size, void *to)
{
	unsigned char *out = to;
	uint64_t head = size;
	size_t packed = cape_pack(from, size, out + CAPE_PACK_HEAD);

	memcpy(out, &head, CAPE_PACK_HEAD);
	if (packed)
		return CAPE_PACK_HEAD + packed;
	memcpy(out + CAPE_PACK_HEAD, from, size);
	return CAPE_PACK_HEAD + size;
}

ssize_t cape_unpack_message(const void *from, size_t packed, void *to, size_t room)
{
	const unsigned char *in = from;
	uint64_t head;
	int error;

	if (packed < CAPE_PACK_HEAD)
		return -EPROTO;
	memcpy(&head, in, CAPE_PACK_HEAD);
	if (head > room || packed - CAPE_PACK_HEAD > head)
		return -EPROTO;
	if (packed - CAPE_PACK_HEAD == head) {
		memcpy(to, in + CAPE_PACK_HEAD, head);
		return (ssize_t)head;
	}
	error = cape_unpack(in + CAPE_PACK_HEAD, packed - CAPE_PACK_HEAD, to, head);
	return error ? error : (ssize_t)head;
}

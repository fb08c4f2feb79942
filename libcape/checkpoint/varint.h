/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * varint.h - unsigned numbers as 1 to 10 bytes: 7 bits a byte, lowest first, the top bit says
 * that more follow.
 */
#ifndef CAPE_VARINT_H
#define CAPE_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that VALUE takes. */
static inline size_t cape_varint_size(uint64_t value)
{
	return (63 - (unsigned)__builtin_clzll(value | 1)) / 7 + 1;
}

/* Writes VALUE to OUT and returns where it ends. */
static inline unsigned char *cape_varint_put(unsigned char *out, uint64_t value)
{
	while (value >= 0x80) {
		*out++ = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	*out++ = (unsigned char)value;
	return out;
}

/*
 * Reads *VALUE from *AT and moves *AT after it.  False when it is cut by END, does not fit into
 * 64 bits, or is not the shortest form of its value.
 */
static inline bool cape_varint_get(const unsigned char **at, const unsigned char *end,
				   uint64_t *value)
{
	const unsigned char *next = *at;
	uint64_t sum = 0;

	for (unsigned shift = 0; shift < 64 && next < end; shift += 7) {
		uint64_t bits = *next & 0x7f;

		sum |= bits << shift;
		if (*next++ < 0x80) {
			*value = sum;
			*at = next;
			return (bits || !shift) && sum >> shift == bits;
		}
	}
	return false;
}

#endif

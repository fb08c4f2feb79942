/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * number.h - one number for many: states and sequences that are alike have the same, and others
 * another one, but for one in 2^64.
 */
#ifndef CAPE_SYSTEM_NUMBER_H
#define CAPE_SYSTEM_NUMBER_H

#include <stdint.h>

/* NUMBER, which is one of many by now or a constant, and VALUE after it: they are not alike. */
static inline uint64_t cape_number_mix(uint64_t number, uint64_t value)
{
	number = (number ^ value) * 0x9e3779b97f4a7c15u;
	number = (number ^ number >> 32) * 0xc2b2ae3d27d4eb4fu;
	return number ^ number >> 29;
}

/* Of START .. END - 1: the same as those of its parts, added up. */
static inline uint64_t cape_number_range(uint64_t start, uint64_t end)
{
	return cape_number_mix(1, end) - cape_number_mix(1, start);
}

#endif

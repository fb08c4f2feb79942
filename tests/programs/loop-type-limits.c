/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop-type-limits.c - loops that end where their type ends, of every integer width. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

static unsigned char seen[64];

static void show(const char *form)
{
	unsigned long bits = 0;

	for (int i = 0; i < 64; i++) {
		bits |= (unsigned long)seen[i] << i;
		seen[i] = 0;
	}
	printf("%-46s %016lx\n", form, bits);
}

#define TRY(type, first, test, next, base)                                                         \
	do {                                                                                       \
		_Pragma("omp parallel for") for (type i = first; i test; i next)                   \
			seen[(unsigned long)(i) - (unsigned long)(base)] ^= 1;                     \
		show(#type " " #first " " #test " " #next);                                        \
	} while (0)

int main(void)
{
	int low = INT_MIN + 20;
	uint64_t top = UINT64_MAX;

	TRY(int, INT_MAX - 20, < INT_MAX, ++, INT_MAX - 40);
	TRY(int, INT_MAX - 20, <= INT_MAX - 1, ++, INT_MAX - 40);
	TRY(int, INT_MIN, < INT_MIN + 20, ++, INT_MIN);
	TRY(int, low, > INT_MIN, --, INT_MIN);
	TRY(int, low, >= INT_MIN + 1, --, INT_MIN);
	TRY(unsigned int, UINT_MAX - 20, < UINT_MAX, ++, UINT_MAX - 40);
	TRY(unsigned int, 20, > 0, --, 0);
	TRY(unsigned int, UINT_MAX - 1, > UINT_MAX - 30, -= 3, UINT_MAX - 40);
	TRY(long, LONG_MAX - 21, < LONG_MAX - 5, += 5, LONG_MAX - 40);
	TRY(long, LONG_MIN + 21, > LONG_MIN + 5, -= 5, LONG_MIN);
	TRY(unsigned long, ULONG_MAX - 20, < ULONG_MAX, ++, ULONG_MAX - 40);
	TRY(unsigned long, ULONG_MAX, > ULONG_MAX - 20, --, ULONG_MAX - 40);
	TRY(long long, LLONG_MIN, <= LLONG_MIN + 33, += 3, LLONG_MIN);
	TRY(unsigned long long, top - 30, < top - 6, += 7, top - 30);
	TRY(size_t, SIZE_MAX - 9, != SIZE_MAX, ++, SIZE_MAX - 9);
	TRY(int64_t, (1L << 62) - 8, < (1L << 62) + 8, ++, (1L << 62) - 8);
	TRY(uint64_t, (1UL << 63) - 8, < (1UL << 63) + 8, ++, (1UL << 63) - 8);
	TRY(uint32_t, (1U << 31) - 8, <= (1U << 31) + 8, ++, (1U << 31) - 8);
	TRY(unsigned char, 200, < 255, ++, 199);
	TRY(signed char, -128, < -100, ++, -128);
	TRY(short, SHRT_MAX - 20, < SHRT_MAX, ++, SHRT_MAX - 30);
	TRY(unsigned short, 20, > 0, --, 0);
	return 0;
}

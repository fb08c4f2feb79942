// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * exact_x86.c - applying runs with masks by the vector units of x86-64, whose masked stores leave
 * other bytes alone.
 */
#include "checkpoint/exact_loop.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>
#include <sys/platform/x86.h>

#define VECTOR 64ul

/* The bits of SIZE bytes of MASK. */
static inline uint64_t bits_of(const unsigned char *mask, uint64_t size)
{
	uint64_t bits = 0;

	if (size == sizeof(bits))
		memcpy(&bits, mask, sizeof(bits));
	else
		memcpy(&bits, mask, size);
	return bits;
}

__attribute__((target("avx512f,avx512bw"))) static void
apply_avx512(const struct cape_exact_bytes *bytes, bool take)
{
	for (uint64_t i = 0; i < bytes->length; i += VECTOR) {
		uint64_t left = bytes->length - i < VECTOR ? bytes->length - i : VECTOR;
		__mmask64 inside = left < VECTOR ? (1ull << left) - 1 : ~0ull;
		__mmask64 counting = inside, changed = 0;
		__m512i data = _mm512_maskz_loadu_epi8(inside, bytes->data + i);

		if (bytes->mask)
			counting &= bits_of(bytes->mask + i / 8, (left + 7) / 8);
		if (take)
			changed = _mm512_cmpneq_epi8_mask(
				_mm512_maskz_loadu_epi8(inside, bytes->memory + i),
				_mm512_maskz_loadu_epi8(inside, bytes->twin + i));
		_mm512_mask_storeu_epi8(bytes->memory + i, counting & ~changed, data);
		_mm512_mask_storeu_epi8(bytes->twin + i, counting, data);
	}
}

static bool has_avx512(void)
{
	return CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512BW);
}

const struct cape_exact_loop cape_exact_avx512 = {"avx512", has_avx512, apply_avx512};
#endif

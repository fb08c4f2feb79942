// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * diff_x86.c - comparing memory with the vector units of x86-64.
 *
 * The C library is asked what the CPU can do: __builtin_cpu_supports() keeps that in the program's
 * own static storage, which would then differ between nodes of different CPUs.
 */
#include "checkpoint/diff_loop.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <sys/platform/x86.h>

/*
 * The loop over chunks; CHANGED_WORDS gives the mask of one.  With TWIN NULL the compiler makes a
 * loop of its own that reads memory alone.
 */
#define SCAN(changed_words)                                                                        \
	do {                                                                                       \
		struct cape_scan scan = *state;                                                    \
                                                                                                   \
		for (size_t i = 0; !twin && i < chunks; i++) {                                     \
			const unsigned char *at = memory + i * CAPE_CHUNK;                         \
                                                                                                   \
			cape_scan_mask(&scan, changed_words(at, NULL), address + i * CAPE_CHUNK);  \
		}                                                                                  \
		for (size_t i = 0; twin && i < chunks; i++) {                                      \
			const unsigned char *at = memory + i * CAPE_CHUNK;                         \
			const unsigned char *base = twin + i * CAPE_CHUNK;                         \
                                                                                                   \
			cape_scan_mask(&scan, changed_words(at, base), address + i * CAPE_CHUNK);  \
		}                                                                                  \
		*state = scan;                                                                     \
	} while (0)

#define INLINE_FOR(features) static inline __attribute__((always_inline, target(features)))

#define AVX512 "avx512f,bmi,bmi2,popcnt"

INLINE_FOR(AVX512) uint64_t changed_16(const unsigned char *memory, const unsigned char *twin)
{
	__m512i now = _mm512_loadu_si512(memory);

	if (!twin)
		return _mm512_test_epi32_mask(now, now);
	return _mm512_cmpneq_epi32_mask(now, _mm512_loadu_si512(twin));
}

INLINE_FOR(AVX512) uint64_t changed_avx512(const unsigned char *memory, const unsigned char *twin)
{
	uint64_t mask = 0;

#pragma GCC unroll 4
	for (unsigned i = 0; i < 4; i++)
		mask |= changed_16(memory + 64 * i, twin ? twin + 64 * i : NULL) << 16 * i;
	return mask;
}

__attribute__((target(AVX512))) static void scan_avx512(struct cape_scan *state,
							const unsigned char *memory,
							const unsigned char *twin, size_t chunks,
							uint64_t address)
{
	SCAN(changed_avx512);
}

static bool has_avx512(void)
{
	return CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(BMI2);
}

#define AVX2 "avx2,bmi,bmi2,popcnt"

INLINE_FOR(AVX2) __m256i same_8(const unsigned char *memory, const unsigned char *twin, unsigned i)
{
	__m256i now = _mm256_loadu_si256((const __m256i *)(memory + 32 * i));
	__m256i base = _mm256_setzero_si256();

	if (twin)
		base = _mm256_loadu_si256((const __m256i *)(twin + 32 * i));
	return _mm256_cmpeq_epi32(now, base);
}

INLINE_FOR(AVX2)
uint64_t changed_32(const unsigned char *memory, const unsigned char *twin, unsigned i)
{
	/* Packing works on the two halves of a vector apart: put the words back in order. */
	const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
	__m256i low = _mm256_packs_epi32(same_8(memory, twin, i), same_8(memory, twin, i + 1));
	__m256i high = _mm256_packs_epi32(same_8(memory, twin, i + 2), same_8(memory, twin, i + 3));
	__m256i same = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order);

	return ~(uint32_t)_mm256_movemask_epi8(same);
}

INLINE_FOR(AVX2) uint64_t changed_avx2(const unsigned char *memory, const unsigned char *twin)
{
	return (uint32_t)changed_32(memory, twin, 0) | changed_32(memory, twin, 4) << 32;
}

__attribute__((target(AVX2))) static void scan_avx2(struct cape_scan *state,
						    const unsigned char *memory,
						    const unsigned char *twin, size_t chunks,
						    uint64_t address)
{
	SCAN(changed_avx2);
}

static bool has_avx2(void)
{
	return CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(BMI2);
}

INLINE_FOR("sse2")
__m128i same_4(const unsigned char *memory, const unsigned char *twin, unsigned i)
{
	__m128i now = _mm_loadu_si128((const __m128i *)(memory + 16 * i));
	__m128i base = _mm_setzero_si128();

	if (twin)
		base = _mm_loadu_si128((const __m128i *)(twin + 16 * i));
	return _mm_cmpeq_epi32(now, base);
}

INLINE_FOR("sse2") uint64_t changed_sse2(const unsigned char *memory, const unsigned char *twin)
{
	uint64_t same = 0;

#pragma GCC unroll 4
	for (unsigned i = 0; i < 16; i += 4) {
		__m128i low = _mm_packs_epi32(same_4(memory, twin, i), same_4(memory, twin, i + 1));
		__m128i high =
			_mm_packs_epi32(same_4(memory, twin, i + 2), same_4(memory, twin, i + 3));

		same |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high)) << 4 * i;
	}
	return ~same;
}

static void scan_sse2(struct cape_scan *state, const unsigned char *memory,
		      const unsigned char *twin, size_t chunks, uint64_t address)
{
	SCAN(changed_sse2);
}

static bool has_sse2(void)
{
	return true;
}

const struct cape_diff_loop cape_diff_avx512 = {"avx512", has_avx512, scan_avx512};
const struct cape_diff_loop cape_diff_avx2 = {"avx2", has_avx2, scan_avx2};
const struct cape_diff_loop cape_diff_sse2 = {"sse2", has_sse2, scan_sse2};
#endif

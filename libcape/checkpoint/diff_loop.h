/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * diff_loop.h - the inner loop of cape_diff(), once for each kind of vector unit.
 *
 * Memory is compared in chunks of 64 words, which gives a mask of changed words.  Shifting the
 * mask to the left by the gap that a run may cover makes the bits between turns exactly the runs,
 * each too long by the gap; so only the turns are written down, whatever the density.
 */
#ifndef CAPE_DIFF_LOOP_H
#define CAPE_DIFF_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "checkpoint/diff.h"

#define CAPE_CHUNK (64 * CAPE_WORD)
/* Addresses written at once: after the last turn, so many may be overwritten. */
#define CAPE_SCAN_BATCH 12

struct cape_scan {
	uint64_t *turn;	  /* where the next address goes: begin, end + CAPE_RUN_GAP, begin, ... */
	uint64_t changed; /* mask of the chunk before */
	uint64_t inside;  /* 1: a run is open */
};

/* Takes the mask of changed words of the chunk at ADDRESS. */
static inline __attribute__((always_inline)) void cape_scan_mask(struct cape_scan *scan,
								 uint64_t mask, uint64_t address)
{
	uint64_t wide = mask | mask << 1 | mask << 2 | scan->changed >> 62 | scan->changed >> 63;
	uint64_t turns = wide ^ (wide << 1 | scan->inside);
	uint64_t *turn = scan->turn;

	scan->changed = mask;
	scan->inside = wide >> 63;
	if (!turns)
		return;
	scan->turn += __builtin_popcountll(turns);
	do {
		/* A fixed number at once mispredicts less often than the right one. */
#pragma GCC unroll 12
		for (unsigned i = 0; i < CAPE_SCAN_BATCH; i++) {
			unsigned word = (unsigned)__builtin_ctzll(turns | 1ull << 63);

			*turn++ = address + CAPE_WORD * word;
			turns &= turns - 1;
		}
	} while (turns);
}

/* One of them. */
struct cape_diff_loop {
	const char *name;
	bool (*usable)(void); /* by this CPU */
	/* Compares CHUNKS chunks of words; TWIN NULL: with zeros. */
	void (*scan)(struct cape_scan *scan, const unsigned char *memory, const unsigned char *twin,
		     size_t chunks, uint64_t address);
};

extern const struct cape_diff_loop cape_diff_avx512, cape_diff_avx2, cape_diff_sse2; /* x86-64 */
extern const struct cape_diff_loop cape_diff_portable;

/* All loops, best first, then NULL; the last one runs everywhere. */
extern const struct cape_diff_loop *const cape_diff_loops[];

/* cape_diff() with the given loop; for tests and benchmarks. */
int cape_diff_with(const struct cape_diff_loop *loop, const void *memory, const void *twin,
		   size_t length, uint64_t address, struct cape_runs *runs);

#endif

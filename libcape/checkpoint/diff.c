// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * diff.c - finding what changed: from any range to whole chunks of words, and back to runs.
 */
#include "checkpoint/diff.h"

#include <errno.h>
#include <string.h>
#include "checkpoint/diff_loop.h"

#define BLOCK_CHUNKS 16ul
/* A run and the gap after it take at least 4 words. */
#define BLOCK_RUNS (BLOCK_CHUNKS * CAPE_CHUNK / (4 * CAPE_WORD) + 1 + CAPE_SCAN_BATCH / 2)

const struct cape_diff_loop *const cape_diff_loops[] = {
#if defined(__x86_64__)
	&cape_diff_avx512,   &cape_diff_avx2,
	&cape_diff_sse2,
#endif
	&cape_diff_portable, NULL,
};

struct walk {
	const struct cape_diff_loop *loop;
	struct cape_scan scan;
	struct cape_runs *runs;
	const unsigned char *memory;
	const unsigned char *twin; /* or NULL */
	uint64_t address;	   /* of memory; a multiple of CAPE_WORD but at the beginning */
	size_t left;
	uint64_t next; /* after the last chunk that was scanned */
};

/* The turns lie where the runs will; those that make whole runs become runs. */
static void take_runs(struct cape_runs *runs, const uint64_t *turn)
{
	struct cape_run *run = runs->run + runs->count;
	const struct cape_run *end = run + (turn - (uint64_t *)run) / 2;
	uint64_t bytes = 0;

	runs->count += (size_t)(end - run);
	for (; run < end; run++) {
		run->length -= CAPE_RUN_GAP + run->address;
		bytes += run->length;
	}
	runs->bytes += bytes;
}

static int scan_block(struct walk *walk, const unsigned char *memory, const unsigned char *twin,
		      size_t chunks, uint64_t address)
{
	struct cape_runs *runs = walk->runs;
	int error = cape_runs_reserve(runs, BLOCK_RUNS);

	if (error)
		return error;
	/* Of a run that is open, the address is there already. */
	walk->scan.turn = (uint64_t *)(runs->run + runs->count) + walk->scan.inside;
	walk->loop->scan(&walk->scan, memory, twin, chunks, address);
	take_runs(runs, walk->scan.turn);
	walk->next = address + chunks * CAPE_CHUNK;
	return 0;
}

static void advance(struct walk *walk, size_t length)
{
	walk->memory += length;
	if (walk->twin)
		walk->twin += length;
	walk->address += length;
	walk->left -= length;
}

/* A chunk of which the range holds only a part: the rest is alike on both sides. */
static int scan_part(struct walk *walk)
{
	unsigned char memory[CAPE_CHUNK] = {0}, twin[CAPE_CHUNK] = {0};
	size_t cut = walk->address % CAPE_WORD;
	size_t length = walk->left < CAPE_CHUNK - cut ? walk->left : CAPE_CHUNK - cut;
	uint64_t address = walk->address - cut;

	memcpy(memory + cut, walk->memory, length);
	if (walk->twin)
		memcpy(twin + cut, walk->twin, length);
	advance(walk, length);
	return scan_block(walk, memory, twin, 1, address);
}

static int scan_range(struct walk *walk)
{
	int error = 0;

	if (walk->address % CAPE_WORD)
		error = scan_part(walk);
	while (!error && walk->left >= CAPE_CHUNK) {
		size_t chunks = walk->left / CAPE_CHUNK;

		if (chunks > BLOCK_CHUNKS)
			chunks = BLOCK_CHUNKS;
		error = scan_block(walk, walk->memory, walk->twin, chunks, walk->address);
		advance(walk, chunks * CAPE_CHUNK);
	}
	if (!error && walk->left)
		error = scan_part(walk);
	return error;
}

/* Ends the run that the end of the range left open. */
static void close_run(struct walk *walk)
{
	struct cape_run *run = &walk->runs->run[walk->runs->count];
	unsigned unchanged = (unsigned)__builtin_clzll(walk->scan.changed);

	run->length = walk->next - CAPE_WORD * unchanged - run->address;
	walk->runs->bytes += run->length;
	walk->runs->count++;
}

/* Takes off what the words at both ends have outside [ADDRESS, ADDRESS + LENGTH). */
static void clip(struct cape_runs *runs, size_t first, uint64_t address, uint64_t length)
{
	struct cape_run *run, *last;
	uint64_t before, after;

	if (runs->count == first)
		return;
	run = &runs->run[first];
	last = &runs->run[runs->count - 1];
	before = run->address < address ? address - run->address : 0;
	run->address += before;
	run->length -= before;
	after = last->address + last->length - address;
	after = after > length ? after - length : 0;
	last->length -= after;
	runs->bytes -= before + after;
}

int cape_diff_with(const struct cape_diff_loop *loop, const void *memory, const void *twin,
		   size_t length, uint64_t address, struct cape_runs *runs)
{
	struct walk walk = {.loop = loop,
			    .runs = runs,
			    .memory = memory,
			    .twin = twin,
			    .address = address,
			    .left = length};
	size_t count = runs->count;
	uint64_t bytes = runs->bytes;
	int error;

	if (address < cape_runs_end(runs) || length > UINT64_MAX - address)
		return -EINVAL;
	error = scan_range(&walk);
	if (error) {
		runs->count = count;
		runs->bytes = bytes;
		return error;
	}
	if (walk.scan.inside)
		close_run(&walk);
	clip(runs, count, address, length);
	return 0;
}

int cape_diff(const void *memory, const void *twin, size_t length, uint64_t address,
	      struct cape_runs *runs)
{
	const struct cape_diff_loop *const *loop = cape_diff_loops;

	while (!(*loop)->usable())
		loop++;
	return cape_diff_with(*loop, memory, twin, length, address, runs);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * restore.c - a program that has just begun takes over the memory of one that was saved, and goes
 * on in its place.
 *
 * To the run time it looks as if sequential code had written all that memory: it is alike on all
 * nodes, whatever their number is.  Where nodes exchange by need, pages that had an owner have one
 * again, and come to that node only.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "channel/save.h"
#include "checkpoint/diff.h"
#include "heap/heap.h"
#include "memory/apart.h"
#include "memory/area.h"
#include "memory/directory.h"
#include "memory/frame.h"
#include "memory/twin.h"
#include "need/need.h"
#include "save/parts.h"
#include "save/save.h"
#include "system/libc.h"

/* Between what is restored of the stack and what the restoring itself needs of it. */
#define STACK_GAP (1ul << 18)

struct restoring {
	struct cape_runtime *runtime;
	unsigned char *state[2]; /* all nodes', this node's */
	uint64_t size[2];
	bool begun;	/* memory has begun to come */
	bool in_region; /* what is each node's own comes by itself, */
	bool own;	/* and does so now */
};

/*
 * What was never written is zeros already, and stays without memory of its own: not even to be
 * read, for which some kernels give it some.
 */
static void put_zeros(struct cape_runtime *runtime, struct cape_range range)
{
	for (uint64_t at = range.start, next; at < range.end; at = next) {
		const struct cape_area *area = cape_areas_find(runtime->areas, at, 1);
		unsigned char *to = (unsigned char *)(uintptr_t)at;

		next = area ? cape_twin_untouched(runtime->areas, area,
						  (struct cape_range){at, range.end})
			    : at;
		if (next > at)
			continue;
		next = cape_page_end(at, range.end);
		if (!cape_is_zero(to, next - at))
			memset(to, 0, next - at);
	}
}

static bool is_here(const struct cape_runtime *runtime, uint64_t address)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);

	return !area || cape_directory_is_here(runtime, area, address);
}

/* The first stretch of RANGE that this node holds; empty: there is none. */
static struct cape_range next_here(const struct cape_runtime *runtime, struct cape_range range)
{
	struct cape_range here = range;

	if (!runtime->directory->count)
		return range;
	while (here.start < range.end && !is_here(runtime, here.start))
		here.start = cape_page_end(here.start, range.end);
	for (here.end = here.start; here.end < range.end && is_here(runtime, here.end);)
		here.end = cape_page_end(here.end, range.end);
	return here;
}

/* The monitor writes what is stored. */
static void want(struct cape_runtime *runtime, enum cape_piece_kind kind, struct cape_range range)
{
	unsigned char *out = (unsigned char *)runtime->channel + CAPE_CHANNEL_OUT;

	if (kind == CAPE_PIECE_ZEROS) {
		put_zeros(runtime, range);
		return;
	}
	memcpy(out + runtime->channel->out_size, &range, sizeof(range));
	runtime->channel->out_size += sizeof(range);
}

/* Its state is known. */
static void begin_memory(struct restoring *restoring)
{
	struct cape_runtime *runtime = restoring->runtime;

	cape_need_restore(runtime);
	restoring->begun = true;
	restoring->in_region = runtime->stack->frame;
	/* What other nodes have of their own, deeper on the stack too, is none of this one's. */
	if (restoring->in_region)
		cape_own_list(runtime, 0);
}

/* RANGE, of which inside a region either this node's own part is needed, or the rest. */
static void want_part(struct restoring *restoring, enum cape_piece_kind kind,
		      struct cape_range range)
{
	struct cape_runtime *runtime = restoring->runtime;
	const struct cape_own *own = &runtime->save->own;

	while (range.start < range.end) {
		struct cape_range part =
			restoring->in_region ? cape_own_next(own, range, restoring->own) : range;

		if (part.start < part.end)
			want(runtime, kind, part);
		range.start = part.start < part.end ? part.end : range.end;
	}
}

/* What this node holds of a piece. */
static void want_memory(struct restoring *restoring, const struct cape_piece *piece)
{
	struct cape_runtime *runtime = restoring->runtime;
	struct cape_range left = {piece->address, piece->address + piece->size};
	int error = cape_heap_reach(runtime->heap, piece->address, piece->size);

	if (error < 0)
		cape_fail_for_addresses(runtime, "restore the heap", error);
	if (!restoring->begun)
		begin_memory(restoring);
	while (left.start < left.end) {
		struct cape_range here = next_here(runtime, left);

		if (here.start < here.end)
			want_part(restoring, piece->kind, here);
		left.start = here.end;
	}
}

/* All but what is each node's own is there: the region is entered, as it was once. */
static void enter_region(struct restoring *restoring)
{
	struct cape_runtime *runtime = restoring->runtime;

	cape_own_put_back(runtime);
	cape_need_restored(runtime);
	for (int i = 0; i < 2; i++)
		cape_saved_enter(runtime, restoring->state[i], restoring->size[i]);
	cape_own_list(runtime, runtime->channel->save.resume);
	restoring->own = true;
}

static void compare_loaded(struct cape_runtime *runtime, const char *theirs, uint64_t size)
{
	const char *own = runtime->save->loaded;
	uint64_t line = 0;

	for (uint64_t i = 0; i < runtime->save->loaded_size; i++) {
		if (i >= size || theirs[i] != own[i])
			cape_fail(runtime, 0,
				  "node %u: the run cannot continue here: the program, a library "
				  "or the kernel differs from the save, from '%.*s' on; all must "
				  "be the same",
				  runtime->node, (int)strcspn(own + line, "\n"), own + line);
		if (own[i] == '\n')
			line = i + 1;
	}
}

/* What the monitor gives stays only until it is asked again, which may be in the middle of it. */
static void take_state(struct restoring *restoring, const struct cape_piece *piece)
{
	struct cape_runtime *runtime = restoring->runtime;
	bool of_node = piece->kind == CAPE_PIECE_NODE_STATE;
	unsigned char *state = cape_must_reserve(runtime, piece->size + 1);

	memcpy(state, piece + 1, piece->size);
	/* Another node's, which is a thread of this one now. */
	if (of_node && piece->address != runtime->node) {
		cape_saved_take_other(runtime, (unsigned)piece->address, state, piece->size);
		return;
	}
	restoring->state[of_node] = state;
	restoring->size[of_node] = piece->size;
	cape_saved_take(runtime, state, piece->size);
}

/* Whether more is to come. */
static bool take_piece(struct restoring *restoring, const struct cape_piece *piece)
{
	struct cape_runtime *runtime = restoring->runtime;

	switch (piece->kind) {
	case CAPE_PIECE_LOADED:
		compare_loaded(runtime, (const char *)(piece + 1), piece->size);
		return true;
	case CAPE_PIECE_STATE:
	case CAPE_PIECE_NODE_STATE:
		take_state(restoring, piece);
		return true;
	case CAPE_PIECE_MEMORY:
	case CAPE_PIECE_ZEROS:
		want_memory(restoring, piece);
		return true;
	case CAPE_PIECE_OWN:
		enter_region(restoring);
		return true;
	default:
		return false;
	}
}

static __attribute__((noinline)) void take_all(struct cape_runtime *runtime)
{
	struct restoring restoring = {.runtime = runtime};
	const unsigned char *at = NULL, *end = NULL;
	const struct cape_piece *piece;

	do {
		if (at == end) {
			cape_channel_request(runtime->channel, CAPE_REQUEST_RESTORE);
			runtime->channel->out_size = 0;
			at = (const unsigned char *)runtime->channel + CAPE_CHANNEL_IN;
			end = at + runtime->channel->save.size;
		}
		piece = (const struct cape_piece *)at;
		at += sizeof(*piece);
		if (piece->kind <= CAPE_PIECE_NODE_STATE)
			at += cape_saved_padded(piece->size);
	} while (take_piece(&restoring, piece));
	for (int i = 0; i < 2; i++)
		cape_saved_finish(runtime, restoring.state[i], restoring.size[i]);
	if (!restoring.in_region)
		cape_need_restored(runtime);
}

void cape_restore(struct cape_runtime *runtime)
{
	uint64_t resume = runtime->channel->save.resume;
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);

	/* From here on this works below what it restores, if that is of the same stack. */
	if (cape_is_apart(resume) && here > resume - STACK_GAP) {
		volatile char *gap = __builtin_alloca(here - (resume - STACK_GAP));

		*gap = 0;
	}
	take_all(runtime);
	runtime->stack->in_use = cape_is_apart(resume);
	cape_apart_resume((struct cape_registers *)(uintptr_t)resume);
}

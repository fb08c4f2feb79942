// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * calls.c - the notes of calls that change the whole process, and making them elsewhere.
 *
 * A note has a time that is later than those of all notes its node knew of, so calls that locks
 * or barriers order are made in that order everywhere; what nothing orders, the master does last.
 * A function has the same address on every node, and so may stand in a note.
 */
#include "memory/calls.h"

#include <string.h>
#include "base/context.h"
#include "base/ordering.h"
#include "base/saved.h"
#include "heap/heap.h"
#include "heap/heap_lock.h"
#include "memory/directory.h"

CAPE_PART(calls, NULL);

#define LIST_SIZE (CAPE_HEAP_MAX_NODES * sizeof(void *)) /* of a call for each node */

#define UNFIT_MOST 64	  /* blocks that are in pages of which not all nodes hold all */
#define UNFIT_SIZE 16384u /* larger ones come from memory that was never used */

/* In the heap; a list for each node, in the order in which it was noted. */
struct cape_call {
	struct cape_call *next;
	cape_call_make make;
	uint64_t time;
	uint64_t when;
	uint64_t size; /* of the whole note */
	unsigned char arguments[];
};

static struct cape_call *first_of(const struct cape_runtime *runtime, unsigned node)
{
	const uint64_t *word = cape_heap_word(runtime->heap, node);

	return word ? (struct cape_call *)(uintptr_t)*word : NULL;
}

static const struct cape_call **made_list(struct cape_runtime *runtime)
{
	struct cape_calls *calls = runtime->calls;

	if (!calls->made)
		calls->made = cape_private_reserve(&runtime->private, LIST_SIZE);
	if (!calls->made)
		cape_fail(runtime, 0, "no address space for the list of calls");
	return calls->made;
}

/* Whether BLOCK is in common pages, which then stay so. */
static bool keep(struct cape_runtime *runtime, const void *block, size_t size)
{
	const struct cape_range range = {(uintptr_t)block, (uintptr_t)block + size};
	bool common;

	runtime->ordering->begin_access(runtime);
	common = cape_directory_is_common(runtime, range);
	if (common)
		cape_directory_forbid_claims(runtime, range, true);
	runtime->ordering->end_access(runtime);
	return common;
}

static struct cape_range range_of(const struct cape_call *call)
{
	return (struct cape_range){(uintptr_t)call, (uintptr_t)call + call->size};
}

/*
 * Notes are followed while what nodes changed is merged: their pages are to be there, and so
 * common ones, if the heap has any.
 */
static struct cape_call *allocate(struct cape_runtime *runtime, size_t size)
{
	void *unfit[UNFIT_MOST];
	unsigned count = 0;
	void *block;

	for (;; count++) {
		block = cape_heap_lock_allocate(runtime, size + (count > 4 ? UNFIT_SIZE : 0));
		if (!block || keep(runtime, block, size) || count == UNFIT_MOST)
			break;
		unfit[count] = block;
	}
	while (count--)
		cape_heap_lock_release(runtime, unfit[count]);
	return block;
}

void cape_calls_note(struct cape_runtime *runtime, enum cape_call_when when, cape_call_make make,
		     const void *arguments, size_t size)
{
	struct cape_calls *calls = runtime->calls;
	struct cape_call *call;

	runtime->ordering->lock(runtime);
	call = allocate(runtime, sizeof(*call) + size);
	if (!call)
		cape_fail(runtime, 0, "node %u: out of memory for a call that all nodes must make",
			  runtime->node);
	*call = (struct cape_call){
		.make = make, .time = ++calls->time, .when = when, .size = sizeof(*call) + size};
	memcpy(call->arguments, arguments, size);
	if (calls->last)
		calls->last->next = call;
	else
		*cape_heap_word(runtime->heap, runtime->node) = (uintptr_t)call;
	calls->last = call;
	runtime->ordering->unlock(runtime);
}

/* The next call of all nodes, own ones too if OWN; NULL: there is none. */
static const struct cape_call *next_call(struct cape_runtime *runtime, bool own)
{
	const struct cape_call **made = runtime->calls->made, *found = NULL;
	unsigned of = 0;

	/* Of two at one time the higher node's is first. */
	for (unsigned node = runtime->nodes; node-- > 0;) {
		const struct cape_call *before = made ? made[node] : NULL;
		const struct cape_call *call = before ? before->next : first_of(runtime, node);

		if (!call || (node == runtime->node && !own) ||
		    (found && found->time <= call->time))
			continue;
		found = call;
		of = node;
	}
	if (found)
		made_list(runtime)[of] = found;
	return found;
}

void cape_calls_follow(struct cape_runtime *runtime)
{
	const struct cape_call *call;

	while ((call = next_call(runtime, false))) {
		if (runtime->calls->time < call->time)
			runtime->calls->time = call->time;
		cape_directory_forbid_claims(runtime, range_of(call), true);
		if (call->when != CAPE_CALL_LAST)
			call->make(runtime, call->arguments);
	}
}

static void forget(struct cape_runtime *runtime, unsigned node)
{
	struct cape_call *call = first_of(runtime, node), *next;

	if (!call)
		return;
	*cape_heap_word(runtime->heap, node) = 0;
	for (; call; call = next) {
		next = call->next;
		cape_directory_forbid_claims(runtime, range_of(call), false);
		cape_heap_lock_release(runtime, call);
	}
}

bool cape_calls_are_settled(const struct cape_runtime *runtime)
{
	for (unsigned node = 0; node < runtime->nodes; node++)
		if (first_of(runtime, node))
			return false;
	return true;
}

void cape_calls_settle(struct cape_runtime *runtime)
{
	struct cape_calls *calls = runtime->calls;
	const struct cape_call *call;

	if (calls->made)
		memset(calls->made, 0, LIST_SIZE);
	while ((call = next_call(runtime, true)))
		if (call->when != CAPE_CALL_ONCE)
			call->make(runtime, call->arguments);
	for (unsigned node = 0; node < runtime->nodes; node++)
		forget(runtime, node);
	if (calls->made)
		memset(calls->made, 0, LIST_SIZE);
	calls->last = NULL;
}

/* -- for saving inside a region ------------------------------------------------------------ */

struct saved {
	uint64_t time;
	struct cape_call *last;
	const struct cape_call *made[CAPE_HEAP_MAX_NODES];
};

static uint64_t put_calls(struct cape_runtime *runtime, unsigned char *to)
{
	const struct cape_calls *calls = runtime->calls;
	struct saved saved = {calls->time, calls->last, {NULL}};

	if (!runtime->in_region)
		return 0;
	if (calls->made)
		memcpy(saved.made, calls->made, LIST_SIZE);
	if (to)
		memcpy(to, &saved, sizeof(saved));
	return sizeof(saved);
}

static void take_calls(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	struct saved saved;

	if (size != sizeof(saved))
		return;
	memcpy(&saved, from, size);
	runtime->calls->time = saved.time;
	runtime->calls->last = saved.last;
	memcpy(made_list(runtime), saved.made, LIST_SIZE);
}

CAPE_SAVED(calls, .of_node = true, .put = put_calls, .take = take_calls);

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * reduction.c - reductions of a team: handed over by each member, folded at the next barrier.
 */
#include "threads/reduction.h"

#include <string.h>
#include "checkpoint/reduction.h"

/* In a buffer; the values lie behind it. */
struct part {
	void *original;
	unsigned long count, size;		    /* of one value */
	void (*combine)(void *out, const void *in); /* NULL: OP and TYPE say how */
	enum cape_operator op;
	enum cape_type type;
	size_t length; /* with the values */
	_Alignas(max_align_t) unsigned char values[];
};

static void apply(const struct part *part, const unsigned char *values)
{
	if (!part->combine) {
		cape_reduction_apply(part->op, part->type, part->original, values, part->count);
		return;
	}
	for (unsigned long i = 0; i < part->count; i++)
		part->combine((char *)part->original + i * part->size, values + i * part->size);
}

static void hand_over(const struct part *part, const void *values)
{
	struct cape_worker *worker = cape_worker_get();
	unsigned long bytes;
	struct part *kept;
	size_t before;

	if (!part->count || !part->size)
		return;
	if (!cape_worker_shares(worker)) {
		apply(part, values);
		return;
	}
	if (__builtin_mul_overflow(part->count, part->size, &bytes))
		bytes = SIZE_MAX / 2;
	before = worker->handed_over.size;
	kept = cape_buffer_add(&worker->handed_over, sizeof(*kept) + bytes);
	*kept = *part;
	kept->length = worker->handed_over.size - before;
	memcpy(kept->values, values, bytes);
	__atomic_store_n(&worker->team->handed_over, 1, __ATOMIC_RELAXED);
}

void cape_thread_reduction(const volatile void *values, volatile void *original,
			   enum cape_operator op, enum cape_type type, unsigned long count)
{
	struct part part = {.original = (void *)original,
			    .count = count,
			    .size = cape_type_size(type),
			    .op = op,
			    .type = type};

	hand_over(&part, (const void *)values);
}

void cape_thread_reduction_user(const volatile void *values, volatile void *original,
				unsigned long size, unsigned long count,
				void (*combine)(void *out, const void *in))
{
	struct part part = {
		.original = (void *)original, .count = count, .size = size, .combine = combine};

	hand_over(&part, (const void *)values);
}

static void fold_member(struct cape_worker *member)
{
	for (size_t at = 0; at < member->handed_over.size;) {
		const struct part *part = (const struct part *)(member->handed_over.memory + at);

		apply(part, part->values);
		at += part->length;
	}
	member->handed_over.size = 0;
}

void cape_reductions_fold(struct cape_team *team)
{
	if (!__atomic_load_n(&team->handed_over, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&team->handed_over, 0, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < team->size; i++)
		fold_member(team->member[i]);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * reduction.c - reductions of a team: handed over by each member, folded at the next barrier.
 */
#include "threads/reduction.h"

#include <string.h>

/* In a buffer; the values lie after it. */
struct stored {
	struct cape_reduced_part part;
	size_t length; /* with the values */
	_Alignas(max_align_t) unsigned char values[];
};

void cape_reduced_apply(const struct cape_reduced_part *part, void *out, const void *values)
{
	if (!part->combine) {
		cape_reduction_apply(part->op, part->type, out, values, part->count);
		return;
	}
	for (unsigned long i = 0; i < part->count; i++)
		part->combine((char *)out + i * part->size, (const char *)values + i * part->size);
}

bool cape_reduced_same(const struct cape_reduced_part *one, const struct cape_reduced_part *other)
{
	return one->original == other->original && one->count == other->count &&
	       one->size == other->size && one->combine == other->combine && one->op == other->op &&
	       one->type == other->type;
}

static void keep(struct cape_worker *worker, const struct cape_reduced_part *part,
		 const void *values)
{
	size_t before = worker->handed_over.size;
	unsigned long bytes;
	struct stored *stored;

	if (__builtin_mul_overflow(part->count, part->size, &bytes))
		bytes = SIZE_MAX / 2;
	stored = cape_buffer_add(&worker->handed_over, sizeof(*stored) + bytes);
	stored->part = *part;
	stored->length = worker->handed_over.size - before;
	memcpy(stored->values, values, bytes);
	__atomic_store_n(&worker->team->handed_over, 1, __ATOMIC_RELAXED);
}

static void hand_over(const struct cape_reduced_part *part, const volatile void *values)
{
	struct cape_worker *worker = cape_worker_get();

	if (!part->count || !part->size)
		return;
	if (cape_worker_shares(worker))
		keep(worker, part, (const void *)values);
	else
		cape_reduced_apply(part, part->original, (const void *)values);
}

void cape_thread_reduction(const volatile void *values, volatile void *original,
			   enum cape_operator op, enum cape_type type, unsigned long count)
{
	struct cape_reduced_part part = cape_reduced_by(original, op, type, count);

	hand_over(&part, values);
}

void cape_thread_reduction_user(const volatile void *values, volatile void *original,
				unsigned long size, unsigned long count,
				void (*combine)(void *out, const void *in))
{
	struct cape_reduced_part part = cape_reduced_by_user(original, size, count, combine);

	hand_over(&part, values);
}

static struct stored *stored_at(const struct cape_buffer *buffer, size_t at)
{
	return at < buffer->size ? (struct stored *)(buffer->memory + at) : NULL;
}

/* There may be any number of tasks, and they are of few variables. */
void cape_reduction_add(struct cape_worker *worker, const struct cape_reduced_part *part,
			const void *values)
{
	struct stored *stored;

	if (!cape_worker_shares(worker)) {
		cape_reduced_apply(part, part->original, values);
		return;
	}
	for (size_t at = 0; (stored = stored_at(&worker->handed_over, at)); at += stored->length)
		if (cape_reduced_same(&stored->part, part)) {
			cape_reduced_apply(part, stored->values, values);
			return;
		}
	keep(worker, part, values);
}

void cape_reduced_add(const struct cape_reduced_part *part, const void *values)
{
	cape_reduced_apply(part, part->original, values);
}

static void fold_member(struct cape_worker *member, const struct cape_team_kind *kind)
{
	struct stored *stored;

	for (size_t at = 0; (stored = stored_at(&member->handed_over, at)); at += stored->length)
		kind->reduce(&stored->part, stored->values);
	member->handed_over.size = 0;
}

void cape_reductions_fold(struct cape_team *team)
{
	if (!__atomic_load_n(&team->handed_over, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&team->handed_over, 0, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < team->size; i++)
		fold_member(team->member[i], team->kind);
}

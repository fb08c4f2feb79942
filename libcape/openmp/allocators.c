/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * allocators.c - the memory allocators of OpenMP 5: there is one kind of memory, that of malloc().
 *
 * Of an allocator's traits alignment, pool_size and fallback count.  What was given of a pool is
 * counted by each node for itself, in its own word: so nothing is lost where nodes count at a time,
 * and the sum is right after the next sync point; until then a node knows its own part.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/context.h"
#include "heap/heap.h"
#include "omp.h"
#include "openmp/constructs.h"

/* What malloc() gives. */
#define ALIGNMENT 16

/* One that the program made: a block of the heap, whose address is the handle. */
struct allocator {
	size_t alignment, pool_size;
	omp_uintptr_t fallback, fallback_data;
	size_t given[CAPE_HEAP_MAX_NODES]; /* of the pool, by who counted; modulo */
};

/* At the end of a block that is of a pool. */
struct label {
	uintptr_t mark; /* is_labelled() */
	struct allocator *of;
	size_t size;
};

#define MARK 0x6361706570006f6cul

static const struct allocator predefined = {
	.alignment = ALIGNMENT, .pool_size = SIZE_MAX, .fallback = omp_atv_null_fb};

static bool is_power_of_two(omp_uintptr_t number)
{
	return number && !(number & (number - 1));
}

/* Whether the trait is one that OpenMP knows. */
static bool set_trait(struct allocator *allocator, const omp_alloctrait_t *trait)
{
	if (trait->key < omp_atk_sync_hint || trait->key > omp_atk_partition)
		return false;
	if (trait->key == omp_atk_fb_data)
		allocator->fallback_data = trait->value;
	if (trait->value == omp_atv_default)
		return true;
	if (trait->key == omp_atk_alignment) {
		if (!is_power_of_two(trait->value))
			return false;
		if (trait->value > allocator->alignment)
			allocator->alignment = trait->value;
	} else if (trait->key == omp_atk_pool_size) {
		allocator->pool_size = trait->value;
	} else if (trait->key == omp_atk_fallback) {
		if (trait->value < omp_atv_default_mem_fb || trait->value > omp_atv_allocator_fb)
			return false;
		allocator->fallback = trait->value;
	}
	return true;
}

CAPE_EXPORT omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t space, int count,
						      const omp_alloctrait_t traits[])
{
	struct allocator made = predefined, *kept;

	made.fallback = omp_atv_default_mem_fb;
	if (space > omp_low_lat_mem_space)
		return omp_null_allocator;
	for (int i = 0; i < count; i++)
		if (!set_trait(&made, &traits[i]))
			return omp_null_allocator;
	kept = malloc(sizeof(*kept));
	if (!kept)
		return omp_null_allocator;
	*kept = made;
	return (omp_allocator_handle_t)kept;
}

CAPE_EXPORT void omp_destroy_allocator(omp_allocator_handle_t allocator)
{
	if (allocator > omp_thread_mem_alloc)
		free((void *)allocator);
}

CAPE_EXPORT void omp_set_default_allocator(omp_allocator_handle_t allocator)
{
	if (allocator != omp_null_allocator)
		cape_constructs->settings()->allocator = allocator;
}

CAPE_EXPORT omp_allocator_handle_t omp_get_default_allocator(void)
{
	omp_allocator_handle_t allocator = cape_constructs->settings()->allocator;

	return allocator == omp_null_allocator ? omp_default_mem_alloc : allocator;
}

/* The predefined ones are never written to: they have no pool. */
static struct allocator *find(omp_allocator_handle_t handle)
{
	if (handle == omp_null_allocator)
		handle = omp_get_default_allocator();
	return handle > omp_thread_mem_alloc ? (struct allocator *)handle
					     : (struct allocator *)(uintptr_t)&predefined;
}

static struct label *label_of(void *block)
{
	size_t usable = malloc_usable_size(block);

	if (usable < sizeof(struct label))
		return NULL;
	return (struct label *)((uintptr_t)block +
				(usable - sizeof(struct label)) / ALIGNMENT * ALIGNMENT);
}

static bool is_labelled(const struct label *label)
{
	return label && label->mark == (MARK ^ (uintptr_t)label);
}

static void count(struct allocator *allocator, size_t size)
{
	const struct cape_runtime *runtime = cape_runtime_get();

	__atomic_fetch_add(&allocator->given[runtime->in_region ? runtime->node : 0], size,
			   __ATOMIC_RELAXED);
}

static size_t left_of(const struct allocator *allocator)
{
	size_t given = 0;

	for (size_t i = 0; i < CAPE_HEAP_MAX_NODES; i++)
		given += __atomic_load_n(&allocator->given[i], __ATOMIC_RELAXED);
	/* Nodes that counted at a time may together have given more than there was. */
	return given < allocator->pool_size ? allocator->pool_size - given : 0;
}

static void *get(size_t alignment, size_t size)
{
	return alignment > ALIGNMENT ? aligned_alloc(alignment, size) : malloc(size);
}

static void *get_of_pool(struct allocator *allocator, size_t alignment, size_t size)
{
	struct label *label;
	size_t whole;
	void *block;

	if (size > left_of(allocator) ||
	    __builtin_add_overflow(size, sizeof(*label) + ALIGNMENT, &whole))
		return NULL;
	block = get(alignment, whole);
	if (!block)
		return NULL;
	label = label_of(block);
	*label = (struct label){MARK ^ (uintptr_t)label, allocator, size};
	count(allocator, size);
	return block;
}

static void *allocate(struct allocator *allocator, size_t alignment, size_t size)
{
	void *block;

	if (alignment < allocator->alignment)
		alignment = allocator->alignment;
	block = allocator->pool_size == SIZE_MAX ? get(alignment, size)
						 : get_of_pool(allocator, alignment, size);
	if (block)
		return block;
	switch (allocator->fallback) {
	case omp_atv_default_mem_fb:
		return allocate(find(omp_default_mem_alloc), alignment, size);
	case omp_atv_allocator_fb:
		return allocate(find(allocator->fallback_data ? allocator->fallback_data
							      : omp_default_mem_alloc),
				alignment, size);
	case omp_atv_abort_fb:
		cape_fail(cape_runtime_get(), 0,
			  "omp_alloc(): no memory for %zu bytes, and the allocator's fallback is "
			  "abort_fb",
			  size);
	default:
		return NULL;
	}
}

CAPE_EXPORT void *omp_aligned_alloc(size_t alignment, size_t size, omp_allocator_handle_t allocator)
{
	return size && is_power_of_two(alignment) ? allocate(find(allocator), alignment, size)
						  : NULL;
}

CAPE_EXPORT void *omp_alloc(size_t size, omp_allocator_handle_t allocator)
{
	return omp_aligned_alloc(1, size, allocator);
}

CAPE_EXPORT void *omp_aligned_calloc(size_t alignment, size_t count, size_t size,
				     omp_allocator_handle_t allocator)
{
	size_t total;
	void *block;

	if (__builtin_mul_overflow(count, size, &total))
		return NULL;
	block = omp_aligned_alloc(alignment, total, allocator);
	return block ? memset(block, 0, total) : NULL;
}

CAPE_EXPORT void *omp_calloc(size_t count, size_t size, omp_allocator_handle_t allocator)
{
	return omp_aligned_calloc(1, count, size, allocator);
}

CAPE_EXPORT void omp_free(void *block, omp_allocator_handle_t allocator)
{
	struct label *label = label_of(block);

	(void)allocator;
	if (is_labelled(label)) {
		count(label->of, -label->size);
		label->mark = 0;
	}
	free(block);
}

CAPE_EXPORT void *omp_realloc(void *block, size_t size, omp_allocator_handle_t allocator,
			      omp_allocator_handle_t old_allocator)
{
	const struct label *label = label_of(block);
	bool of_pool = is_labelled(label);
	size_t kept;
	void *moved;

	if (!size) {
		omp_free(block, old_allocator);
		return NULL;
	}
	kept = of_pool ? label->size : malloc_usable_size(block);
	/* What the block takes of a pool is free for its successor. */
	if (of_pool)
		count(label->of, -kept);
	moved = omp_alloc(size, allocator);
	if (of_pool)
		count(label->of, kept);
	if (!moved || !block)
		return moved;
	memcpy(moved, block, kept < size ? kept : size);
	omp_free(block, old_allocator);
	return moved;
}

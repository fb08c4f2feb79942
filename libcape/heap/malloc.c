/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * malloc.c - the malloc family, in place of libc's; what libc allocates itself comes here too.
 *
 * A program that was started by itself calls libc's own.  But if blocks were allocated here before
 * that was known, each is asked whose it is: its address shows that.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/libc.h"
#include "heap/heap_lock.h"
#include "base/own_objects.h"
#include "base/saved.h"
#include "heap/heap.h"
#include "heap/sites.h"

CAPE_PART(heap, NULL);

/* Nodes that have an arena, of which a restored run may have fewer. */
static uint64_t put_nodes(struct cape_runtime *runtime, unsigned char *to)
{
	uint32_t nodes = runtime->heap->nodes;

	if (to)
		memcpy(to, &nodes, sizeof(nodes));
	return sizeof(nodes);
}

static void take_nodes(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	uint32_t nodes = 0;
	int error;

	memcpy(&nodes, from, size < sizeof(nodes) ? size : sizeof(nodes));
	if (cape_heap_shares(nodes) != cape_heap_shares(runtime->nodes))
		cape_fail(runtime, 0,
			  "a run of %u nodes cannot continue with %u nodes: a run of more than %u "
			  "nodes needs more than that again, and a run of fewer needs fewer",
			  nodes, runtime->nodes, CAPE_HEAP_FEW_NODES);
	if (nodes < runtime->nodes)
		nodes = runtime->nodes;
	error = cape_heap_start(runtime->heap, runtime->node, nodes);
	if (error < 0)
		cape_fail_for_addresses(runtime, "restore the heap", error);
}

CAPE_SAVED(heap, .put = put_nodes, .take = take_nodes);

static const size_t page = 4096;

_Noreturn __attribute__((cold)) static void bad_pointer(const char *function, const void *pointer)
{
	char text[160];
	int length = snprintf(text, sizeof text,
			      "cape: %s: the pointer %p was not allocated by malloc, or was freed "
			      "already\n",
			      function, pointer);

	if (write(STDERR_FILENO, text, (size_t)length) != length)
		abort();
	abort();
}

#define FUNCTION(type, name, parameters)                                                           \
	CAPE_FUNCTION_OF(cape_heap_stand_ins, type, name, parameters)

/* The linker lists those. */
extern struct cape_stand_in __start_cape_heap_stand_ins[], __stop_cape_heap_stand_ins[];

/* The C library's, under names that no program takes. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

/* Whether new blocks are libc's. */
static inline bool is_libc(void)
{
	return cape_runtime && cape_runtime->libc_heap;
}

/* libcape's heap does not grow any more then, and libc's memory may begin right after it. */
static inline bool is_libcs(const void *block)
{
	return is_libc() &&
	       (uintptr_t)block - cape_runtime->own_blocks >= cape_runtime->own_blocks_size;
}

struct cape_heap *cape_program_heap(void)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (!runtime->heap->current && cape_heap_start(runtime->heap, 0, 1) < 0)
		return NULL;
	return runtime->heap;
}

void cape_heap_leave_to_libc(struct cape_runtime *runtime)
{
	struct cape_heap_range own = {0};

	cape_heap_ranges(runtime->heap, &own, 1);
	runtime->own_blocks = own.address;
	runtime->own_blocks_size = own.length;
	runtime->libc_heap = true;
	if (runtime->by_itself && !own.length)
		cape_stand_ins_leave(__start_cape_heap_stand_ins, __stop_cape_heap_stand_ins);
}

/* Nobody needs what is in a block.  Not under the heap's lock, as one may wait here. */
static inline void renew(const void *block, size_t size)
{
	if (__builtin_expect(cape_own_objects_known(cape_runtime), 0) && block)
		cape_own_objects_clear(cape_runtime, (uint64_t)(uintptr_t)block, size);
}

/* What is in it stays, but no object that is its node's own. */
static inline void forget(const void *block, size_t size)
{
	if (__builtin_expect(cape_own_objects_known(cape_runtime), 0) && block)
		cape_own_objects_forget(cape_runtime, (uint64_t)(uintptr_t)block, size);
}

/* A block for a call that returns to CODE. */
static inline void *noted(void *block, size_t size, const void *code)
{
	if (__builtin_expect(cape_runtime->sites->table != NULL, 0)) {
		cape_sites_note(cape_runtime, block, size, code);
		if (cape_runtime->sites->allocated)
			cape_runtime->sites->allocated(cape_runtime);
	}
	return block;
}

static inline __attribute__((always_inline)) void *allocate(size_t size, size_t alignment)
{
	struct cape_heap *heap;
	void *block;
	bool locked;

	if (is_libc())
		return alignment > CAPE_ARENA_ALIGNMENT ? __libc_memalign(alignment, size)
							: __libc_malloc(size);
	heap = cape_program_heap();
	if (__builtin_expect(!heap, 0)) {
		errno = ENOMEM;
		return NULL;
	}
	locked = cape_heap_lock(cape_runtime);
	block = cape_heap_allocate(heap, size, alignment);
	block = noted(block, size, __builtin_return_address(0));
	cape_heap_unlock(cape_runtime, locked);
	renew(block, size);
	return block;
}

static inline __attribute__((always_inline)) void *allocate_aligned(size_t size, size_t alignment)
{
	if (!alignment || alignment & (alignment - 1)) {
		errno = EINVAL;
		return NULL;
	}
	return allocate(size, alignment);
}

FUNCTION(void *, malloc, (size_t size))
{
	return allocate(size, CAPE_ARENA_ALIGNMENT);
}

FUNCTION(void *, calloc, (size_t count, size_t size))
{
	struct cape_heap *heap;
	size_t total;
	void *block;
	bool locked;

	if (is_libc())
		return __libc_calloc(count, size);
	heap = cape_program_heap();
	if (!heap || __builtin_mul_overflow(count, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	locked = cape_heap_lock(cape_runtime);
	block = cape_heap_allocate_zeroed(heap, total);
	block = noted(block, total, __builtin_return_address(0));
	cape_heap_unlock(cape_runtime, locked);
	renew(block, total);
	return block;
}

FUNCTION(void, free, (void *block))
{
	struct cape_heap *heap;
	bool locked;
	int error;

	if (!block)
		return;
	if (is_libcs(block)) {
		__libc_free(block);
		return;
	}
	heap = cape_program_heap();
	if (!heap)
		bad_pointer("free()", block);
	renew(block, cape_own_objects_known(cape_runtime) ? cape_heap_usable(heap, block) : 0);
	locked = cape_heap_lock(cape_runtime);
	error = cape_heap_release(heap, block);
	cape_heap_unlock(cape_runtime, locked);
	if (error)
		bad_pointer("free()", block);
}

static void *moved_to_libc(struct cape_heap *heap, void *block, size_t size)
{
	size_t usable = cape_heap_usable(heap, block);
	void *moved;

	if (!usable)
		bad_pointer("realloc()", block);
	moved = __libc_malloc(size);
	if (!moved)
		return NULL;
	memcpy(moved, block, usable < size ? usable : size);
	free(block);
	return moved;
}

FUNCTION(void *, realloc, (void *block, size_t size))
{
	struct cape_heap *heap;
	void *resized;
	bool locked;

	if (!block)
		return malloc(size);
	if (!size) {
		free(block);
		return NULL;
	}
	if (is_libcs(block))
		return __libc_realloc(block, size);
	heap = cape_program_heap();
	if (!heap)
		bad_pointer("realloc()", block);
	if (is_libc())
		return moved_to_libc(heap, block, size);
	locked = cape_heap_lock(cape_runtime);
	resized = noted(cape_heap_resize(heap, block, size), size, __builtin_return_address(0));
	cape_heap_unlock(cape_runtime, locked);
	forget(resized, size);
	if (!resized && errno == EFAULT)
		bad_pointer("realloc()", block);
	return resized;
}

FUNCTION(void *, reallocarray, (void *block, size_t count, size_t size))
{
	size_t total;

	if (!__builtin_mul_overflow(count, size, &total))
		return realloc(block, total);
	errno = ENOMEM;
	return NULL;
}

FUNCTION(void *, memalign, (size_t alignment, size_t size))
{
	return allocate_aligned(size, alignment);
}

FUNCTION(void *, aligned_alloc, (size_t alignment, size_t size))
{
	return allocate_aligned(size, alignment);
}

FUNCTION(int, posix_memalign, (void **block, size_t alignment, size_t size))
{
	int saved = errno;
	void *allocated;

	if (!alignment || alignment % sizeof(void *) || alignment & (alignment - 1))
		return EINVAL;
	allocated = allocate(size, alignment);
	errno = saved;
	if (!allocated)
		return ENOMEM;
	*block = allocated;
	return 0;
}

FUNCTION(void *, valloc, (size_t size))
{
	return allocate(size, page);
}

FUNCTION(void *, pvalloc, (size_t size))
{
	if (size <= SIZE_MAX - page)
		return allocate((size + page - 1) & -page, page);
	errno = ENOMEM;
	return NULL;
}

FUNCTION(size_t, malloc_usable_size, (void *block))
{
	struct cape_heap *heap;

	if (!block)
		return 0;
	if (is_libcs(block))
		return CAPE_OWN_FUNCTION(malloc_usable_size)(block);
	heap = cape_program_heap();
	return heap ? cape_heap_usable(heap, block) : 0;
}

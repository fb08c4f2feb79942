/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * private.c - the run time's own memory: parts of one reserved stretch of address space.
 */
#include "base/private.h"

#include <errno.h>
#include <string.h>
#include <stdint.h>
#include <sys/syscall.h>
#include "channel/capture.h"
#include "system/libc.h"

#define PAGE  4096ul
#define LEAST 256ul	  /* bytes of a block */
#define CHUNK (1ul << 20) /* that blocks are cut from, if they are no more than a part of it */
#define PARTS 16ul

int cape_private_start(struct cape_private *private)
{
	private->next = (char *)(uintptr_t)CAPE_PRIVATE_START;
	private->end = (char *)(uintptr_t)CAPE_PRIVATE_END;
	return 0;
}

void *cape_private_reserve(struct cape_private *private, size_t size)
{
	char *at = __atomic_load_n(&private->next, __ATOMIC_RELAXED);
	void *got;

	size = (size + PAGE - 1) & -PAGE;
	do {
		if (size > (size_t)(private->end - at)) {
			errno = ENOMEM;
			return NULL;
		}
	} while (!__atomic_compare_exchange_n(&private->next, &at, at + size, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	got = mmap(at, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	return got == MAP_FAILED ? NULL : got;
}

static void *array_resize(struct cape_memory *memory, void *old, size_t old_size, size_t new_size)
{
	struct cape_private_array *array = (struct cape_private_array *)memory;

	(void)old;
	(void)old_size;
	return new_size <= array->limit ? array->start : NULL;
}

void cape_private_array_init(struct cape_private_array *array, void *start, size_t limit)
{
	*array = (struct cape_private_array){
		.memory.resize = array_resize,
		.start = start,
		.limit = limit,
	};
}

static unsigned power_of(size_t size)
{
	return size <= LEAST ? (unsigned)__builtin_ctzl(LEAST)
			     : 64 - (unsigned)__builtin_clzl(size - 1);
}

static void lock(struct cape_private_blocks *blocks)
{
	while (__atomic_test_and_set(&blocks->locked, __ATOMIC_ACQUIRE))
		syscall(SYS_sched_yield);
}

static void unlock(struct cape_private_blocks *blocks)
{
	__atomic_clear(&blocks->locked, __ATOMIC_RELEASE);
}

/* SIZE bytes that were no block before, or NULL. */
static void *cut(struct cape_private_blocks *blocks, size_t size)
{
	void *block;

	if (size > CHUNK / PARTS)
		return cape_private_reserve(blocks->private, size);
	if (blocks->left < size) {
		blocks->chunk = cape_private_reserve(blocks->private, CHUNK);
		blocks->left = blocks->chunk ? CHUNK : 0;
	}
	if (!blocks->chunk)
		return NULL;
	block = blocks->chunk + CHUNK - blocks->left;
	blocks->left -= size;
	return block;
}

/* A block of 2 to the power of POWER bytes, or NULL. */
static void *take(struct cape_private_blocks *blocks, unsigned power)
{
	void *block;

	if (power >= sizeof(blocks->free) / sizeof(blocks->free[0]))
		return NULL;
	lock(blocks);
	block = blocks->free[power];
	if (block)
		blocks->free[power] = *(void **)block;
	else
		block = cut(blocks, 1ul << power);
	unlock(blocks);
	return block;
}

static void give_back(struct cape_private_blocks *blocks, void *block, unsigned power)
{
	lock(blocks);
	*(void **)block = blocks->free[power];
	blocks->free[power] = block;
	unlock(blocks);
}

/* Several threads of a node grow lists, each its own. */
static void *blocks_resize(struct cape_memory *memory, void *old, size_t old_size, size_t new_size)
{
	struct cape_private_blocks *blocks = (struct cape_private_blocks *)memory;
	unsigned before = power_of(old_size), after = power_of(new_size);
	void *block = NULL;

	if (old && new_size && before == after)
		return old;
	if (new_size) {
		block = take(blocks, after);
		if (!block)
			return NULL;
	}
	if (old && new_size)
		memcpy(block, old, old_size);
	if (old)
		give_back(blocks, old, before);
	return block;
}

void cape_private_blocks_init(struct cape_private_blocks *blocks, struct cape_private *private)
{
	*blocks = (struct cape_private_blocks){.memory = {.resize = blocks_resize, .least = LEAST},
					       .private = private};
}

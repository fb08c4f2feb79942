/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.c - the allocator: random calls against an oracle, the same bytes for the same calls,
 * memory that stays untouched, trimming, running out, and misuse.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "heap/arena.c"
#include "heap/arena_lists.c"

#define SLOTS 400
#define MB    ((size_t)1 << 20)

static unsigned char *const first_place = (unsigned char *)0x120000000000;
static unsigned char *const second_place = (unsigned char *)0x130000000000;

static uint64_t random_state;

static uint64_t random_number(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 11) % below;
}

static void open_arena(struct cape_arena *arena, unsigned char *start, uint64_t limit)
{
	cape_arena_init(arena, start, limit);
	assert_int_equal(cape_arena_open(arena), 0);
}

static void close_arena(struct cape_arena *arena)
{
	assert_int_equal(munmap(arena->start, arena->writable), 0);
}

/* -- what must hold of an arena at any time --------------------------------------------- */

static size_t count_lists(struct cape_arena *arena)
{
	struct header *header = header_of(arena);
	size_t count = 0;

	for (unsigned int l = 0; l < LEVELS; l++) {
		assert_int_equal(header->levels >> l & 1, header->classes[l] != 0);
		for (unsigned int c = 0; c < CLASSES; c++) {
			uint64_t previous = 0;

			assert_int_equal(header->classes[l] >> c & 1, header->lists[l][c] != 0);
			for (uint64_t b = header->lists[l][c]; b; b = *word_at(arena, b)) {
				uint64_t size = free_size(arena, b, 0);

				assert_int_equal(level_of(size), l);
				assert_int_equal(class_of(size, l), c);
				assert_int_equal(*word_at(arena, b + 8), previous);
				previous = b;
				count++;
			}
		}
	}
	return count;
}

static uint64_t count_quick_lists(struct cape_arena *arena)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i <= QUICK_MAX / 16; i++)
		for (uint64_t b = header_of(arena)->quick[i]; b; b = *word_at(arena, b)) {
			assert_int_equal(free_size(arena, b, QUICK), i * 16);
			bytes += i * 16;
		}
	assert_int_equal(bytes, header_of(arena)->quick_bytes);
	return bytes;
}

static void assert_zero(const unsigned char *from, const unsigned char *to)
{
	while (from < to && !*from)
		from++;
	assert_ptr_equal(from, to);
}

/* Goes through all blocks; returns how many are used. */
static size_t check_arena(struct cape_arena *arena)
{
	struct header *header = header_of(arena);
	uint64_t block = FIRST_BLOCK, quick_bytes = 0, last_listed = 0;
	size_t used = 0, listed = 0;

	while (header->top && block < header->top) {
		uint64_t tag = *tag_of(arena, block), size = tag & SIZE_MASK;

		assert_int_equal(tag & SEAL_MASK, seal(block));
		assert_true(size >= MIN_SIZE && size <= header->top - block);
		assert_int_equal(!!(tag & AFTER_LISTED), last_listed != 0);
		used += !!(tag & USED);
		if (tag & QUICK)
			quick_bytes += size;
		if (tag & (USED | QUICK)) {
			last_listed = 0;
		} else {
			assert_int_equal(last_listed, 0);
			last_listed = block;
			listed++;
			if (block + size < header->top)
				assert_int_equal(*word_at(arena, block + size - 16), size);
		}
		block += size;
	}
	if (header->top)
		assert_int_equal(block, header->top);
	assert_int_equal(header->last_listed, last_listed);
	assert_int_equal(listed, count_lists(arena));
	assert_int_equal(quick_bytes, count_quick_lists(arena));
	return used;
}

/* -- random calls ----------------------------------------------------------------------- */

struct slot {
	unsigned char *block;
	size_t size;
	unsigned char fill;
};

static void check_contents(const struct slot *slot, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (slot->block[i] != (unsigned char)(slot->fill + i))
			fail_msg("byte %zu of a block of %zu changed", i, slot->size);
}

static void fill_block(struct cape_arena *arena, struct slot *slot, size_t size)
{
	slot->size = size;
	slot->fill = (unsigned char)random_number(256);
	assert_true(cape_arena_usable(arena, slot->block) >= size);
	for (size_t i = 0; i < size; i++)
		slot->block[i] = (unsigned char)(slot->fill + i);
}

static size_t random_size(void)
{
	switch (random_number(8)) {
	case 0:
		return random_number(300000);
	case 1:
	case 2:
		return random_number(9000);
	default:
		return random_number(400);
	}
}

static void allocate_random(struct cape_arena *arena, struct slot *slot)
{
	size_t size = random_size(), alignment = 16;

	switch (random_number(4)) {
	case 0:
		slot->block = cape_arena_allocate_zeroed(arena, size);
		assert_non_null(slot->block);
		assert_zero(slot->block, slot->block + size);
		break;
	case 1:
		alignment = (size_t)1 << random_number(random_number(10) ? 13 : 22);
		/* fall through */
	default:
		slot->block = cape_arena_allocate(arena, size, alignment);
		assert_non_null(slot->block);
	}
	assert_int_equal((uintptr_t)slot->block % alignment, 0);
	assert_int_equal((uintptr_t)slot->block % 16, 0);
	fill_block(arena, slot, size);
}

static void resize_random(struct cape_arena *arena, struct slot *slot, bool trim)
{
	size_t size = random_number(3) ? random_size() : slot->size + random_number(200);
	int result = cape_arena_resize(arena, slot->block, size, trim);

	if (result) {
		assert_int_equal(result, -ENOMEM);
		check_contents(slot, slot->size);
		return;
	}
	check_contents(slot, slot->size < size ? slot->size : size);
	fill_block(arena, slot, size);
}

/* STEPS random calls; leaves the blocks in SLOTS.  The same SEED makes the same calls. */
static void random_calls(struct cape_arena *arena, struct slot *slots, uint64_t seed, int steps)
{
	random_state = seed * 0x9e3779b97f4a7c15 + 1;
	for (int i = 0; i < steps; i++) {
		struct slot *slot = &slots[random_number(SLOTS)];
		bool trim = random_number(2);

		if (!slot->block) {
			allocate_random(arena, slot);
		} else if (!random_number(3)) {
			resize_random(arena, slot, trim);
		} else {
			check_contents(slot, slot->size);
			assert_int_equal(cape_arena_release(arena, slot->block, trim), 0);
			slot->block = NULL;
		}
		if (i % 512 == 0)
			check_arena(arena);
	}
}

static size_t release_all(struct cape_arena *arena, struct slot *slots, bool trim)
{
	size_t count = 0;

	for (size_t i = 0; i < SLOTS; i++) {
		if (!slots[i].block)
			continue;
		check_contents(&slots[i], slots[i].size);
		assert_int_equal(cape_arena_release(arena, slots[i].block, trim), 0);
		slots[i].block = NULL;
		count++;
	}
	return count;
}

static void test_random_calls(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct slot slots[SLOTS] = {0};
		struct cape_arena arena;
		size_t used;

		open_arena(&arena, first_place, 1024 * MB);
		random_calls(&arena, slots, seed, 4000);
		used = check_arena(&arena);
		assert_int_equal(release_all(&arena, slots, false), used);
		assert_int_equal(check_arena(&arena), 0);
		merge_quick_lists(&arena);
		assert_int_equal(check_arena(&arena), 0);
		/* Nothing is used, so all of it is one free block, or trimmed away. */
		assert_true(count_lists(&arena) <= 1);
		assert_zero(arena.start + cape_arena_top(&arena) - TAG_SIZE,
			    arena.start + arena.writable);
		close_arena(&arena);
	}
}

static void test_same_calls_same_bytes(void **state)
{
	(void)state;
	for (uint64_t seed = 100; seed < 110; seed++) {
		struct slot slots[SLOTS] = {0}, others[SLOTS] = {0};
		struct cape_arena arena, other;

		open_arena(&arena, first_place, 1024 * MB);
		open_arena(&other, second_place, 1024 * MB);
		/* How much is mapped differs between nodes, and must not matter. */
		assert_int_equal(cape_arena_reach(&other, (1 + seed % 7) * 9 * MB), 0);
		random_calls(&arena, slots, seed, 4000);
		random_calls(&other, others, seed, 4000);
		for (size_t i = 0; i < SLOTS; i++)
			assert_true(slots[i].block ? slots[i].block - arena.start ==
							     others[i].block - other.start
						   : !others[i].block);
		assert_int_equal(cape_arena_top(&arena), cape_arena_top(&other));
		assert_memory_equal(arena.start, other.start, cape_arena_top(&arena));
		close_arena(&arena);
		close_arena(&other);
	}
}

/* -- memory that stays untouched, and memory given back --------------------------------- */

static size_t resident_pages(const void *from, size_t length)
{
	static unsigned char pages[65536];
	size_t count = length / 4096, resident = 0;

	assert_true(count <= sizeof pages);
	assert_int_equal(mincore((void *)(((uintptr_t)from + 4095) & -(uintptr_t)4096),
				 (count - 1) * 4096, pages),
			 0);
	for (size_t i = 0; i + 1 < count; i++)
		resident += pages[i] & 1;
	return resident;
}

static void test_fresh_memory_is_not_touched(void **state)
{
	struct cape_arena arena;
	void *before, *block, *zeroed, *aligned;

	(void)state;
	open_arena(&arena, first_place, 1024 * MB);
	before = cape_arena_allocate(&arena, 100, 16);
	block = cape_arena_allocate(&arena, 64 * MB, 16);
	zeroed = cape_arena_allocate_zeroed(&arena, 64 * MB);
	aligned = cape_arena_allocate(&arena, 64 * MB, 2 * MB);
	assert_non_null(before);
	assert_int_equal((uintptr_t)aligned % (2 * MB), 0);
	assert_true(resident_pages(block, 64 * MB) <= 1);
	assert_true(resident_pages(zeroed, 64 * MB) <= 1);
	assert_true(resident_pages(aligned, 64 * MB) <= 1);
	assert_int_equal(cape_arena_resize(&arena, aligned, 100 * MB, false), 0);
	assert_int_equal(cape_arena_release(&arena, block, true), 0);
	assert_int_equal(cape_arena_resize(&arena, aligned, 80 * MB, false), 0);
	assert_true(resident_pages(block, 64 * MB) <= 1);
	assert_true(resident_pages(aligned, 80 * MB) <= 1);
	check_arena(&arena);
	close_arena(&arena);
}

/* What is as large as nodes divide among them does not begin in the middle of a page. */
static void test_large_blocks_begin_at_a_page(void **state)
{
	struct cape_arena arena;
	unsigned char *large, *next;
	uint64_t top;

	(void)state;
	open_arena(&arena, first_place, 1024 * MB);
	for (size_t size = 64 << 10; size < 64 * MB; size += size / 2 + 16) {
		assert_non_null(cape_arena_allocate(&arena, 40, 16));
		large = cape_arena_allocate(&arena, size, 16);
		assert_int_equal((uintptr_t)large % 4096, 0);
		next = cape_arena_allocate_zeroed(&arena, size);
		assert_int_equal((uintptr_t)next % 4096, 0);
		/* Its place is found again, though none would do that is as large and not aligned.
		 */
		top = cape_arena_top(&arena);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(cape_arena_release(&arena, large, true), 0);
			assert_ptr_equal(cape_arena_allocate(&arena, size, 16), large);
			assert_int_equal(cape_arena_top(&arena), top);
		}
	}
	close_arena(&arena);
}

static void test_trim(void **state)
{
	struct cape_arena arena;
	unsigned char *low, *high;
	uint64_t top;

	(void)state;
	open_arena(&arena, first_place, 1024 * MB);
	low = cape_arena_allocate(&arena, 100, 16);
	assert_non_null(low);
	top = cape_arena_top(&arena);
	high = memset(cape_arena_allocate(&arena, 20 * MB, 16), 1, 20 * MB);
	assert_int_equal(cape_arena_release(&arena, high, false), 0);
	assert_true(cape_arena_top(&arena) > top);

	assert_ptr_equal(cape_arena_allocate(&arena, 20 * MB, 16), high);
	errno = 77;
	assert_int_equal(cape_arena_release(&arena, high, true), 0);
	assert_int_equal(errno, 77);
	assert_int_equal(cape_arena_top(&arena), top);
	assert_zero(high - TAG_SIZE, high + 20 * MB);
	check_arena(&arena);

	/* The second time round it is kept, for a third. */
	assert_ptr_equal(cape_arena_allocate_zeroed(&arena, 20 * MB), high);
	assert_zero(high, high + 20 * MB);
	assert_int_equal(cape_arena_release(&arena, high, true), 0);
	assert_true(cape_arena_top(&arena) > top);
	check_arena(&arena);
	close_arena(&arena);
}

/* -- running out ------------------------------------------------------------------------ */

static void assert_no_room(struct cape_arena *arena, size_t size, size_t alignment)
{
	errno = 0;
	assert_null(cape_arena_allocate(arena, size, alignment));
	assert_int_equal(errno, ENOMEM);
}

static void test_exhaustion(void **state)
{
	void *blocks[4096], *block;
	struct cape_arena arena;
	size_t count = 0;

	(void)state;
	open_arena(&arena, first_place, 128 * 1024);
	while ((block = cape_arena_allocate(&arena, 40, 16)))
		blocks[count++] = memset(block, 0xa5, 40);
	assert_int_equal(errno, ENOMEM);
	assert_in_range(count, (128 * 1024 - FIRST_BLOCK) / 48 - 1, 128 * 1024 / 48);
	assert_null(cape_arena_allocate_zeroed(&arena, 40));
	assert_int_equal(check_arena(&arena), count);
	assert_int_equal(cape_arena_resize(&arena, blocks[count - 1], 100000, true), -ENOMEM);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(cape_arena_release(&arena, blocks[i], true), 0);
	/* All is in a quick list, and must be found and merged. */
	block = cape_arena_allocate_zeroed(&arena, 110000);
	assert_non_null(block);
	assert_zero(block, (unsigned char *)block + 110000);
	assert_no_room(&arena, 110000, 16);
	assert_int_equal(check_arena(&arena), 1);
	close_arena(&arena);
}

static void test_sizes_beyond_any_arena(void **state)
{
	static const size_t sizes[] = {1024 * MB, LARGEST,	LARGEST + 1,
				       SIZE_MAX,  SIZE_MAX - 7, (size_t)PTRDIFF_MAX + 1};
	struct cape_arena arena;
	void *block;

	(void)state;
	open_arena(&arena, first_place, 1024 * MB);
	block = cape_arena_allocate(&arena, 0, 0);
	assert_non_null(block);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		assert_no_room(&arena, sizes[i], 16);
		assert_no_room(&arena, sizes[i], 4096);
		errno = 0;
		assert_null(cape_arena_allocate_zeroed(&arena, sizes[i]));
		assert_int_equal(errno, ENOMEM);
		assert_int_equal(cape_arena_resize(&arena, block, sizes[i], true), -ENOMEM);
	}
	assert_no_room(&arena, 16, (size_t)1 << 63);
	assert_no_room(&arena, 16, 1024 * MB);
	assert_non_null(cape_arena_allocate(&arena, 16, 256 * MB));
	check_arena(&arena);
	close_arena(&arena);
}

static void test_taken_addresses(void **state)
{
	struct cape_arena arena;
	void *other;

	(void)state;
	open_arena(&arena, first_place, 1024 * MB);
	other = mmap(first_place + arena.writable, 4096, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_ptr_equal(other, first_place + arena.writable);
	assert_no_room(&arena, 2 * MB, 16);
	assert_non_null(cape_arena_allocate(&arena, 1000, 16));
	assert_int_equal(cape_arena_reach(&arena, 2 * MB), -EEXIST);
	munmap(other, 4096);
	assert_non_null(cape_arena_allocate(&arena, 2 * MB, 16));
	close_arena(&arena);
}

/* -- misuse ----------------------------------------------------------------------------- */

static void test_bad_pointers(void **state)
{
	unsigned char *small, *large, *last;
	struct cape_arena arena;

	(void)state;
	open_arena(&arena, first_place, 1024 * MB);
	small = memset(cape_arena_allocate(&arena, 200, 16), 0, 200);
	large = memset(cape_arena_allocate(&arena, 20000, 16), 0xff, 20000);
	last = cape_arena_allocate(&arena, 20000, 16);
	unsigned char *const bad[] = {arena.start,
				      arena.start - 16,
				      arena.start + 64,
				      small + 1,
				      small + 8,
				      small + 16,
				      small - 16,
				      large + 16,
				      last + 20000000,
				      arena.start + arena.writable,
				      NULL};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(cape_arena_release(&arena, bad[i], true), -EFAULT);
		assert_int_equal(cape_arena_resize(&arena, bad[i], 100, true), -EFAULT);
		assert_int_equal(cape_arena_usable(&arena, bad[i]), 0);
	}
	assert_int_equal(check_arena(&arena), 3);
	assert_int_equal(cape_arena_release(&arena, small, true), 0);
	assert_int_equal(cape_arena_release(&arena, small, true), -EFAULT);
	assert_int_equal(cape_arena_release(&arena, last, true), 0);
	assert_int_equal(cape_arena_release(&arena, last, true), -EFAULT);
	assert_int_equal(cape_arena_release(&arena, large, true), 0);
	assert_int_equal(cape_arena_release(&arena, large, true), -EFAULT);
	assert_int_equal(cape_arena_release(&arena, last, true), -EFAULT);
	assert_int_equal(check_arena(&arena), 0);
	close_arena(&arena);
}

static struct cape_arena damaged;

static void overrun(void)
{
	unsigned char *a = cape_arena_allocate(&damaged, 2000, 16);
	unsigned char *b = cape_arena_allocate(&damaged, 2000, 16);

	assert_non_null(b);
	memset(a, 0x55, 2016);
	cape_arena_release(&damaged, a, true);
}

static void write_after_quick_free(void)
{
	unsigned char *a = cape_arena_allocate(&damaged, 100, 16);

	cape_arena_release(&damaged, a, true);
	memset(a, 0x55, 100);
	assert_ptr_equal(cape_arena_allocate(&damaged, 100, 16), a);
	cape_arena_allocate(&damaged, 100, 16);
}

static void write_after_free(void)
{
	unsigned char *a = cape_arena_allocate(&damaged, 2000, 16);

	assert_non_null(cape_arena_allocate(&damaged, 2000, 16));
	cape_arena_release(&damaged, a, true);
	memset(a, 0x55, 2000);
	cape_arena_allocate(&damaged, 1500, 16);
}

/* FUNCTION damages the heap in a child process, which must end by abort() with a message. */
static void assert_noticed(void (*function)(void), const char *message)
{
	char text[400] = "";
	int pipes[2], status;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		dup2(pipes[1], STDERR_FILENO);
		cape_arena_init(&damaged, first_place, 1024 * MB);
		if (!cape_arena_open(&damaged))
			function();
		_exit(0);
	}
	close(pipes[1]);
	assert_true(read(pipes[0], text, sizeof text - 1) > 0);
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_non_null(strstr(text, message));
}

static void test_damage(void **state)
{
	(void)state;
	assert_noticed(overrun, "cape: the heap is damaged near 0x1200000");
	assert_noticed(write_after_quick_free, "cape: the heap is damaged: the program");
	assert_noticed(write_after_free, "cape: the heap is damaged: the program");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_calls),
		cmocka_unit_test(test_same_calls_same_bytes),
		cmocka_unit_test(test_fresh_memory_is_not_touched),
		cmocka_unit_test(test_large_blocks_begin_at_a_page),
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_exhaustion),
		cmocka_unit_test(test_sizes_beyond_any_arena),
		cmocka_unit_test(test_taken_addresses),
		cmocka_unit_test(test_bad_pointers),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fetch_serve.c - serving pages of a program, here this process itself: the table of what was
 * served, versions that are awaited, memory that is given back, and what cannot be read.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "random.h"

#include "fetch/serve.c"

#define PAGES  8
#define READER 3

static struct random dice;

struct program {
	int file;
	struct cape_channel *channel;
	unsigned char *memory; /* PAGES pages, and one that cannot be read */
};

static int start(void **state)
{
	static struct program program;
	size_t size = (PAGES + 1) * CAPE_FETCH_PAGE;

	program.file = memfd_create("channel", MFD_CLOEXEC);
	assert_int_equal(ftruncate(program.file, (off_t)CAPE_CHANNEL_SIZE), 0);
	program.channel = mmap(NULL, CAPE_CHANNEL_SIZE, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_NORESERVE, program.file, 0);
	program.memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(program.channel, MAP_FAILED);
	assert_ptr_not_equal(program.memory, MAP_FAILED);
	random_bytes(&dice, program.memory, PAGES * CAPE_FETCH_PAGE);
	mprotect(program.memory + PAGES * CAPE_FETCH_PAGE, CAPE_FETCH_PAGE, PROT_NONE);
	*state = &program;
	return 0;
}

static int stop(void **state)
{
	struct program *program = *state;

	munmap(program->memory, (PAGES + 1) * CAPE_FETCH_PAGE);
	munmap(program->channel, CAPE_CHANNEL_SIZE);
	close(program->file);
	return 0;
}

static struct wanted pages_at(const unsigned char *address, uint32_t pages)
{
	return (struct wanted){.address = (uint64_t)(uintptr_t)address, .pages = pages};
}

static void pages_and_table(void **state)
{
	struct program *program = *state;
	const struct cape_served *table = cape_channel_served(program->channel);
	struct served served;

	for (uint32_t pages = 1, before = 0; pages <= PAGES; before += pages++) {
		const unsigned char *from = program->memory + (PAGES - pages) * CAPE_FETCH_PAGE;
		struct wanted wanted = pages_at(from, pages);

		assert_true(serve_are_pages(&wanted));
		assert_int_equal(serve_read(program->channel, getpid(), READER, &wanted, &served),
				 0);
		assert_memory_equal(served.pages, from, pages * CAPE_FETCH_PAGE);
		assert_int_equal(served.entries, before + pages);
		assert_int_equal(program->channel->fetch.served, before + pages);
		for (uint32_t i = 0; i < pages; i++) {
			assert_int_equal(table[before + i].address,
					 wanted.address + i * CAPE_FETCH_PAGE);
			assert_int_equal(table[before + i].reader, READER);
			assert_int_equal(table[before + i].ready, 1);
		}
		assert_ptr_equal(served.pages, cape_channel_served_page(program->channel, before));
	}
}

static void unreadable(void **state)
{
	struct program *program = *state;
	const unsigned char *last = program->memory + PAGES * CAPE_FETCH_PAGE;
	struct wanted wanted = pages_at(last - 2 * CAPE_FETCH_PAGE, 3);
	struct served served;

	/* The last page is protected, as a program's that has not come to it yet. */
	assert_int_equal(serve_read(program->channel, getpid(), READER, &wanted, &served), 0);
	assert_int_equal(cape_channel_served(program->channel)[2].ready, 1);
	munmap((void *)last, CAPE_FETCH_PAGE);
	assert_int_equal(serve_read(program->channel, getpid(), READER, &wanted, &served), -EFAULT);
	assert_int_equal(served.wrong, (uintptr_t)last);
	assert_int_equal(cape_channel_served(program->channel)[5].ready, 0);
	/* Both the table and what it counts are the program's to spoil. */
	program->channel->fetch.served = CAPE_SERVED_LIMIT - 2;
	assert_int_equal(serve_read(program->channel, getpid(), READER, &wanted, &served), -ENOSPC);
	program->channel->fetch.served = UINT32_MAX;
	assert_int_equal(serve_read(program->channel, getpid(), READER, &wanted, &served), -ENOSPC);
}

static void no_pages(void **state)
{
	const struct wanted none[] = {
		{.address = 4096, .pages = 0},
		{.address = 4096, .pages = CAPE_FETCH_PAGES + 1},
		{.address = 4096, .pages = UINT32_MAX},
		{.address = 4097, .pages = 1},
		{.address = -CAPE_FETCH_PAGE, .pages = 1},
		{.address = -2 * CAPE_FETCH_PAGE, .pages = 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(serve_are_pages(&none[i]));
}

static void versions(void **state)
{
	struct program *program = *state;
	struct cape_channel_fetch *fetch = &program->channel->fetch;
	struct wanted wanted = pages_at(program->memory, 1);

	fetch->version = 5;
	for (wanted.version = 4; wanted.version <= 5; wanted.version++) {
		assert_true(serve_is_ready(program->channel, &wanted));
		assert_int_equal(fetch->awaited, 0);
	}
	assert_int_equal(wanted.version, 6);
	assert_false(serve_is_ready(program->channel, &wanted));
	assert_int_equal(fetch->awaited, 1);
	fetch->version = 6;
	assert_true(serve_is_ready(program->channel, &wanted));
}

static blkcnt_t blocks_of(const struct program *program)
{
	struct stat status;

	assert_int_equal(fstat(program->file, &status), 0);
	return status.st_blocks;
}

static void memory_goes_back(void **state)
{
	struct program *program = *state;
	struct wanted wanted = pages_at(program->memory, PAGES);
	struct served served = {0};
	uint64_t kept;
	blkcnt_t before;

	while (served.entries < 2 * PAGES_KEPT)
		assert_int_equal(serve_read(program->channel, getpid(), READER, &wanted, &served),
				 0);
	kept = served.entries;
	before = blocks_of(program);
	serve_trim(program->channel, &kept);
	assert_int_equal(blocks_of(program), before);
	program->channel->fetch.served = 0;
	serve_trim(program->channel, &kept);
	assert_int_equal(kept, PAGES_KEPT);
	assert_int_equal(before - blocks_of(program), PAGES_KEPT * CAPE_FETCH_PAGE / 512);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pages_and_table, start, stop),
		cmocka_unit_test_setup_teardown(unreadable, start, stop),
		cmocka_unit_test(no_pages),
		cmocka_unit_test_setup_teardown(versions, start, stop),
		cmocka_unit_test_setup_teardown(memory_goes_back, start, stop),
	};

	random_start(&dice);
	return cmocka_run_group_tests_name("fetch_serve", tests, NULL, NULL);
}

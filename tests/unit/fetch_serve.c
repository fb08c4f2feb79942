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

/* Its names for the C library's functions come before they are used. */
#include "channel/remote.c"
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

/* One more stretch. */
static void add_pages(struct wanted *wanted, const unsigned char *address, uint32_t pages)
{
	uint64_t start = (uint64_t)(uintptr_t)address;

	wanted->body.stretch[wanted->stretches++] =
		(struct cape_range){start, start + pages * CAPE_FETCH_PAGE};
	assert_true(serve_count_pages(wanted));
}

static struct wanted pages_at(const unsigned char *address, uint32_t pages)
{
	struct wanted wanted = {0};

	add_pages(&wanted, address, pages);
	return wanted;
}

static void pages_and_table(void **state)
{
	struct program *program = *state;
	const struct cape_served *table = cape_channel_served(program->channel);
	struct served served;

	for (uint32_t pages = 1, before = 0; pages <= PAGES; before += pages++) {
		const unsigned char *from = program->memory + (PAGES - pages) * CAPE_FETCH_PAGE;
		struct wanted wanted = pages_at(from, pages);

		assert_int_equal(wanted.pages, pages);
		assert_int_equal(serve_read(program->channel, getpid(), READER, &wanted, &served),
				 0);
		assert_memory_equal(served.pages, from, pages * CAPE_FETCH_PAGE);
		assert_int_equal(served.entries, before + pages);
		assert_int_equal(program->channel->fetch.served, before + pages);
		for (uint32_t i = 0; i < pages; i++) {
			assert_int_equal(table[before + i].address,
					 wanted.body.stretch[0].start + i * CAPE_FETCH_PAGE);
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

/* Stretches, the middle one protected: in part, or all of it, read past its protection. */
static void stretches(void **state)
{
	struct program *program = *state;
	const struct cape_served *table = cape_channel_served(program->channel);
	static const struct {
		unsigned page, pages;
	} part[] = {{6, 2}, {1, 3}, {4, 1}};
	struct wanted wanted = {0};
	struct served served;
	uint32_t at = 0;

	for (unsigned i = 0; i < 3; i++)
		add_pages(&wanted, program->memory + part[i].page * CAPE_FETCH_PAGE, part[i].pages);
	assert_int_equal(wanted.pages, 6);
	for (unsigned shut = 0; shut < 3; shut++) {
		unsigned char *page = program->memory + (1 + shut) * CAPE_FETCH_PAGE;

		mprotect(page, CAPE_FETCH_PAGE, PROT_NONE);
		assert_int_equal(serve_read(program->channel, getpid(), READER, &wanted, &served),
				 0);
		mprotect(page, CAPE_FETCH_PAGE, PROT_READ | PROT_WRITE);
		for (unsigned i = 0; i < 3; i++)
			for (unsigned k = 0; k < part[i].pages; k++, at++) {
				const unsigned char *from =
					program->memory + (part[i].page + k) * CAPE_FETCH_PAGE;

				assert_int_equal(table[at].address, (uintptr_t)from);
				assert_int_equal(table[at].ready, 1);
				assert_memory_equal(cape_channel_served_page(program->channel, at),
						    from, CAPE_FETCH_PAGE);
			}
	}
	assert_int_equal(served.entries, at);
}

/* The second stretch goes too far. */
static void unreadable_stretch(void **state)
{
	struct program *program = *state;
	unsigned char *last = program->memory + PAGES * CAPE_FETCH_PAGE;
	struct wanted wanted = pages_at(program->memory, 2);
	struct served served;

	add_pages(&wanted, last - 2 * CAPE_FETCH_PAGE, 3);
	add_pages(&wanted, program->memory + 3 * CAPE_FETCH_PAGE, 1);
	munmap(last, CAPE_FETCH_PAGE);
	assert_int_equal(serve_read(program->channel, getpid(), READER, &wanted, &served), -EFAULT);
	assert_int_equal(served.wrong, (uintptr_t)last);
	assert_int_equal(cape_channel_served(program->channel)[0].ready, 0);
}

/* Copies are in no table. */
static void copies(void **state)
{
	static unsigned char to[PAGES * CAPE_FETCH_PAGE];
	struct program *program = *state;
	struct wanted wanted = pages_at(program->memory, PAGES);
	uint64_t wrong = 0;

	assert_int_equal(serve_copy(getpid(), &wanted, to, &wrong), 0);
	assert_memory_equal(to, program->memory, sizeof(to));
	assert_int_equal(program->channel->fetch.served, 0);
	wanted.body.stretch[0].end += CAPE_FETCH_PAGE;
	wanted.body.stretch[0].start += CAPE_FETCH_PAGE;
	assert_int_equal(serve_copy(getpid(), &wanted, to, &wrong), 0);
	assert_memory_equal(to, program->memory + CAPE_FETCH_PAGE, sizeof(to) - CAPE_FETCH_PAGE);
}

static void no_pages(void **state)
{
	static const struct cape_range none[] = {
		{4096, 4096},
		{8192, 4096},
		{4096, 4096 + (CAPE_FETCH_PAGES + 1) * CAPE_FETCH_PAGE},
		{0, -CAPE_FETCH_PAGE},
		{4097, 8192},
		{4096, 8193},
		{-CAPE_FETCH_PAGE, 0},
		{-2 * CAPE_FETCH_PAGE, CAPE_FETCH_PAGE},
	};
	static struct wanted wanted;

	(void)state;
	assert_false(serve_count_pages(&wanted));
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		wanted.stretches = 2;
		wanted.body.stretch[0] = (struct cape_range){4096, 8192};
		wanted.body.stretch[1] = none[i];
		assert_false(serve_count_pages(&wanted));
		assert_int_equal(wanted.pages, 0);
	}
	wanted.stretches = CAPE_FETCH_STRETCHES;
	for (uint64_t i = 0; i < CAPE_FETCH_STRETCHES; i++)
		wanted.body.stretch[i] = (struct cape_range){4096, 4096 * 5};
	assert_true(serve_count_pages(&wanted));
	wanted.body.stretch[7].end += 4096;
	assert_false(serve_count_pages(&wanted));
}

static void versions(void **state)
{
	struct program *program = *state;
	struct cape_channel_fetch *fetch = &program->channel->fetch;
	struct wanted wanted = pages_at(program->memory, 1);

	fetch->version = 5;
	for (wanted.body.version = 4; wanted.body.version <= 5; wanted.body.version++) {
		assert_true(serve_is_ready(program->channel, &wanted));
		assert_int_equal(fetch->awaited, 0);
	}
	assert_int_equal(wanted.body.version, 6);
	assert_false(serve_is_ready(program->channel, &wanted));
	assert_int_equal(fetch->awaited, 1);
	fetch->version = 6;
	assert_true(serve_is_ready(program->channel, &wanted));
	/* The program may come to any that is not far. */
	for (wanted.body.version = 0; wanted.body.version <= 1000; wanted.body.version++)
		assert_true(serve_comes_to(program->channel, &wanted));
	wanted.body.version = 1ull << 32;
	assert_false(serve_comes_to(program->channel, &wanted));
	wanted.body.version = UINT64_MAX;
	assert_false(serve_comes_to(program->channel, &wanted));
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
		cmocka_unit_test_setup_teardown(stretches, start, stop),
		cmocka_unit_test_setup_teardown(unreadable_stretch, start, stop),
		cmocka_unit_test_setup_teardown(copies, start, stop),
		cmocka_unit_test(no_pages),
		cmocka_unit_test_setup_teardown(versions, start, stop),
		cmocka_unit_test_setup_teardown(memory_goes_back, start, stop),
	};

	random_start(&dice);
	return cmocka_run_group_tests_name("fetch_serve", tests, NULL, NULL);
}

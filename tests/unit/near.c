// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * near.c - reading pages of another program on this machine, here this process itself: what its
 * table says then, versions it has not come to, protected memory, another container, what cannot be
 * read, and small pieces that it has posted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "channel/near.c"
#include "system/libc.h"

static bool has_ended; /* the program, before the file of its memory is read */

static ssize_t read_memory(int file, void *to, size_t size, off_t at)
{
	return has_ended ? 0 : pread(file, to, size, at);
}

#define pread read_memory
#include "channel/remote.c"
#undef pread
#include "on_board.h"
#include "random.h"

#define PAGES	8u
#define READER	0u
#define OWNER	1u
#define VERSION 5u

static struct random dice;
static unsigned char *memory; /* PAGES pages */
static struct cape_near *near;

void cape_channel_request(struct cape_channel *of, enum cape_channel_request request)
{
	(void)of, (void)request;
	fail();
}

static void begin_round(uint64_t version)
{
	channel->node = OWNER;
	cape_near_begin(channel, version);
	channel->node = READER;
	cape_near_begin(channel, version);
}

static int start(void **state)
{
	(void)state;
	make_channel(READER, 2);
	make_board();
	assert_int_equal(cape_board_open(channel), 0);
	memory = mmap(NULL, PAGES * CAPE_FETCH_PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	random_bytes(&dice, memory, PAGES * CAPE_FETCH_PAGE);
	near = cape_near_of(channel, OWNER);
	begin_round(VERSION);
	channel->fetch.owner = OWNER;
	channel->fetch.version = VERSION;
	return 0;
}

static int stop(void **state)
{
	(void)state;
	munmap(memory, PAGES * CAPE_FETCH_PAGE);
	munmap(channel, CAPE_CHANNEL_SIZE);
	close(CAPE_BOARD_FD);
	return 0;
}

static struct cape_range pages_at(unsigned first, unsigned pages)
{
	uint64_t start = (uintptr_t)memory + first * CAPE_FETCH_PAGE;

	return (struct cape_range){start, start + pages * CAPE_FETCH_PAGE};
}

/* Page FIRST, and the next but one. */
static const unsigned char *read_two(unsigned first)
{
	cape_channel_wanted(channel)[0] = pages_at(first, 1);
	cape_channel_wanted(channel)[1] = pages_at(first + 2, 1);
	channel->fetch.stretches = 2;
	return cape_near_read(channel, 2);
}

static void assert_read(const unsigned char *from, unsigned first, uint32_t which, uint32_t reader)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct cape_served *entry = &cape_near_table(near)[which + i];

		assert_int_equal(entry->address, pages_at(first + 2 * i, 1).start);
		assert_int_equal(entry->reader, reader);
		assert_int_equal(entry->ready, near->round);
		if (from)
			assert_memory_equal(from + i * CAPE_FETCH_PAGE,
					    memory + (first + 2 * i) * CAPE_FETCH_PAGE,
					    CAPE_FETCH_PAGE);
	}
	assert_int_equal(near->served, which + 2);
}

static void pages_and_table(void **state)
{
	uint32_t round = near->round;

	(void)state;
	assert_read(read_two(1), 1, 0, READER);
	assert_read(read_two(4), 4, 2, READER);
	cape_near_await(near, &cape_near_table(near)[3]);
	begin_round(VERSION + 1);
	assert_int_equal(near->served, 0);
	assert_int_not_equal(near->round, round);
	assert_int_not_equal(cape_near_table(near)[0].ready, near->round);
}

static void versions(void **state)
{
	(void)state;
	channel->fetch.version = VERSION + 1;
	assert_null(read_two(0));
	assert_int_equal(near->served, 0);
	channel->node = OWNER;
	cape_near_raise(channel, VERSION + 1);
	channel->node = READER;
	assert_read(read_two(0), 0, 0, READER);
}

static void protection(void **state)
{
	(void)state;
	mprotect(memory + 3 * CAPE_FETCH_PAGE, CAPE_FETCH_PAGE, PROT_NONE);
	assert_non_null(read_two(1));
	mprotect(memory + 3 * CAPE_FETCH_PAGE, CAPE_FETCH_PAGE, PROT_READ);
	assert_read(cape_near_page(near, 0), 1, 0, READER);
}

/* The owner must not wait for it, and the monitors are asked from then on. */
static void unreadable(void **state)
{
	(void)state;
	munmap(memory + 3 * CAPE_FETCH_PAGE, CAPE_FETCH_PAGE);
	assert_null(read_two(1));
	assert_read(NULL, 1, 0, CAPE_NEAR_NOBODY);
	assert_null(read_two(5));
	assert_int_equal(near->served, 2);
}

/* Monitors wait for what they learn of its end, instead of saying what cannot be read. */
static void ended(void **state)
{
	struct cape_range page = {(uintptr_t)memory, (uintptr_t)memory + CAPE_FETCH_PAGE};
	unsigned char bytes[CAPE_FETCH_PAGE];
	uint64_t wrong;

	(void)state;
	mprotect(memory, CAPE_FETCH_PAGE, PROT_NONE);
	has_ended = true;
	assert_int_equal(cape_remote_read(getpid(), &page, 1, bytes, &wrong), -ESRCH);
	assert_int_equal(cape_remote_copy(getpid(), &page, 1), -ESRCH);
	has_ended = false;
	assert_int_equal(cape_remote_read(getpid(), &page, 1, bytes, &wrong), 0);
}

static void no_room(void **state)
{
	(void)state;
	near->served = CAPE_NEAR_PAGES - 1;
	assert_null(read_two(0));
	near->served = CAPE_NEAR_PAGES - 2;
	assert_read(read_two(0), 0, CAPE_NEAR_PAGES - 2, READER);
	assert_null(read_two(0));
}

/* In another container the number is another process's, of this one it may be. */
static void another_container(void **state)
{
	(void)state;
	near->processes++;
	assert_null(read_two(0));
	assert_int_equal(near->served, 0);
}

/* Bytes AT .. AT + LENGTH - 1 of the memory. */
static struct cape_range piece_at(unsigned at, unsigned length)
{
	uint64_t start = (uintptr_t)memory + at;

	return (struct cape_range){start, start + length};
}

/* The owner posts the COUNT pieces, and writes other bytes there then, which has no post. */
static void post(const struct cape_range *piece, unsigned count)
{
	channel->node = OWNER;
	cape_near_post(channel, piece, count);
	cape_near_raise(channel, ++channel->fetch.version);
	channel->node = READER;
	for (unsigned i = 0; i < count; i++)
		memset((void *)(uintptr_t)piece[i].start, 'x', piece[i].end - piece[i].start);
}

/* Bytes FIRST .. LAST - 1 of the memory are as they were posted, or as they were written then. */
static void assert_posted(const unsigned char *before, unsigned first, unsigned last, bool posted)
{
	for (unsigned at = first; at < last; at++)
		assert_int_equal(memory[at], posted ? before[at] : 'x');
}

static void small_pieces(void **state)
{
	const struct cape_range piece[] = {piece_at(40, 24), piece_at(5000, 400)};
	const struct cape_range part = piece_at(5100, 200), both[] = {piece[1], piece[0]};
	unsigned char before[2 * CAPE_FETCH_PAGE];

	(void)state;
	memcpy(before, memory, sizeof(before));
	/* Nothing else is asked of the owner. */
	near->processes++;
	post(piece, 2);
	assert_int_equal(cape_near_copy(channel, OWNER, &part, 1), 0);
	assert_posted(before, 5100, 5300, true);
	assert_posted(before, 5000, 5100, false);
	assert_int_equal(cape_near_copy(channel, OWNER, both, 2), 0);
	assert_posted(before, 40, 64, true);
	assert_posted(before, 5000, 5400, true);
}

/* All comes from the owner's memory, which has other bytes by now. */
static void assert_not_posted(const struct cape_range *piece, unsigned count)
{
	assert_int_equal(cape_near_copy(channel, OWNER, piece, count), 0);
	for (unsigned i = 0; i < count; i++)
		assert_posted(NULL, (unsigned)(piece[i].start - (uintptr_t)memory),
			      (unsigned)(piece[i].end - (uintptr_t)memory), false);
}

/* After who waits for that has slept, and not once. */
static void *come_later(void *unused)
{
	static const struct timespec later = {.tv_nsec = 50000000};

	(void)unused;
	nanosleep(&later, NULL);
	announce(near, &near->version, VERSION + 1);
	return NULL;
}

/* The program, and functions that keep it on the program's stack, see no errno but their own. */
static void waited_for(void **state)
{
	const struct cape_range piece = piece_at(40, 24);
	pthread_t owner;

	(void)state;
	channel->node = OWNER;
	cape_near_post(channel, &piece, 1);
	channel->node = READER;
	channel->fetch.version++;
	assert_int_equal(pthread_create(&owner, NULL, come_later, NULL), 0);
	errno = 0;
	assert_int_equal(cape_near_copy(channel, OWNER, &piece, 1), 0);
	assert_int_equal(errno, 0);
	pthread_join(owner, NULL);
}

static void not_posted(void **state)
{
	const struct cape_range piece = piece_at(40, 24), large = piece_at(0, CAPE_NEAR_BYTES + 1);
	struct cape_range many[CAPE_NEAR_PIECES + 1];

	(void)state;
	for (unsigned i = 0; i <= CAPE_NEAR_PIECES; i++)
		many[i] = piece_at(16 * i, 8);
	post(&large, 1);
	assert_not_posted(&large, 1);
	assert_not_posted(&piece, 1);
	post(many, CAPE_NEAR_PIECES + 1);
	assert_not_posted(many, CAPE_NEAR_PIECES + 1);
	assert_not_posted(many, 1);
	/* One that is not with the others; one of a version before, and of two before. */
	post(many, 2);
	assert_not_posted(&many[2], 1);
	post(&piece, 1);
	assert_not_posted(many, 2);
	post(NULL, 0);
	assert_not_posted(&piece, 1);
	post(NULL, 0);
	assert_not_posted(&piece, 1);
}

/* A process whose memory has other bytes; CLOSED of its pages are protected, from page 2 on. */
static pid_t start_other(unsigned closed)
{
	int ready[2];
	pid_t other;
	char byte;

	assert_int_equal(pipe(ready), 0);
	other = fork();
	if (other == 0) {
		memset(memory, 'y', PAGES * CAPE_FETCH_PAGE);
		if (closed)
			mprotect(memory + 2 * CAPE_FETCH_PAGE, closed * CAPE_FETCH_PAGE, PROT_NONE);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return other;
}

/* Rows of a matrix, with and without a few bytes between them, and in another order. */
static void pieces_of_another(void **state)
{
	const struct cape_range piece[] = {
		piece_at(40, 24),    piece_at(64, 8),	 piece_at(96, 4000), piece_at(5000, 6000),
		piece_at(11001, 17), piece_at(20000, 5), piece_at(30, 3)};
	unsigned count = sizeof(piece) / sizeof(*piece);
	bool *copied = (bool[PAGES * CAPE_FETCH_PAGE]){false};

	(void)state;
	for (unsigned i = 0; i < count; i++)
		memset(copied + (piece[i].start - (uintptr_t)memory), true,
		       piece[i].end - piece[i].start);
	for (unsigned closed = 0; closed < 2; closed++) {
		pid_t other = start_other(closed);

		memset(memory, 'x', PAGES * CAPE_FETCH_PAGE);
		assert_int_equal(cape_remote_copy(other, piece, count), 0);
		for (unsigned at = 0; at < PAGES * CAPE_FETCH_PAGE; at++)
			assert_int_equal(memory[at], copied[at] ? 'y' : 'x');
		kill(other, SIGKILL);
		waitpid(other, NULL, 0);
	}
}

static void no_board(void **state)
{
	(void)state;
	channel->board.open = 0;
	assert_null(read_two(0));
	assert_int_equal(near->served, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pages_and_table, start, stop),
		cmocka_unit_test_setup_teardown(versions, start, stop),
		cmocka_unit_test_setup_teardown(protection, start, stop),
		cmocka_unit_test_setup_teardown(unreadable, start, stop),
		cmocka_unit_test_setup_teardown(ended, start, stop),
		cmocka_unit_test_setup_teardown(no_room, start, stop),
		cmocka_unit_test_setup_teardown(another_container, start, stop),
		cmocka_unit_test_setup_teardown(small_pieces, start, stop),
		cmocka_unit_test_setup_teardown(waited_for, start, stop),
		cmocka_unit_test_setup_teardown(not_posted, start, stop),
		cmocka_unit_test_setup_teardown(pieces_of_another, start, stop),
		cmocka_unit_test_setup_teardown(no_board, start, stop),
	};

	random_start(&dice);
	return cmocka_run_group_tests_name("near", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * beside.c - byte-exact runs are applied to memory, and collected from it, while another thread
 * writes there: no byte that the thread has written is lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include "checkpoint/exact.h"
#include "checkpoint/exact_loop.h"
#include "random.h"

#define PAGE   4096u
#define SIZE   200u /* bytes of a run: vectors, and what is left of one */
#define CASES  300u
#define ROUNDS 3000u

static struct random dice;

/* What a masked run does, byte by byte. */
static void apply_slowly(const struct cape_exact_bytes *bytes, bool take)
{
	for (uint64_t i = 0; i < bytes->length; i++) {
		bool changed = bytes->memory[i] != bytes->twin[i];

		if (bytes->mask && !(bytes->mask[i / 8] >> i % 8 & 1))
			continue;
		if (!take || !changed)
			bytes->memory[i] = bytes->data[i];
		bytes->twin[i] = bytes->data[i];
	}
}

/* Memory and twin of which some bytes differ, and a mask with bits behind its end. */
struct side {
	unsigned char memory[SIZE + 1], twin[SIZE + 1];
};

static void compare(const struct cape_exact_loop *loop)
{
	unsigned char data[SIZE], mask[SIZE / 8 + 1];
	uint64_t length = 1 + random_below(&dice, SIZE);
	struct side want, got;
	bool masked = random_below(&dice, 4), take = random_below(&dice, 2);

	random_bytes(&dice, data, sizeof(data));
	random_bytes(&dice, mask, sizeof(mask));
	for (unsigned i = 0; i < sizeof(want.memory); i++) {
		want.twin[i] = (unsigned char)random_below(&dice, 3);
		want.memory[i] = (unsigned char)random_below(&dice, 3);
	}
	got = want;
	apply_slowly(&(struct cape_exact_bytes){want.memory, want.twin, data, masked ? mask : NULL,
						length},
		     take);
	loop->apply(&(struct cape_exact_bytes){got.memory, got.twin, data, masked ? mask : NULL,
					       length},
		    take);
	assert_memory_equal(&got, &want, sizeof(want));
}

static void all_loops_agree(void **state)
{
	(void)state;
	for (unsigned i = 0; cape_exact_loops[i]; i++)
		for (unsigned n = 0; n < 10 * CASES && cape_exact_loops[i]->usable(); n++)
			compare(cape_exact_loops[i]);
}

/* The run's bytes around the end of a page; what is behind may not be written to. */
static void apply_at_end(const struct cape_exact_loop *loop, unsigned char *end)
{
	unsigned char data[SIZE], mask[SIZE / 8 + 1] = {0}, twin[SIZE];
	uint64_t here = 1 + random_below(&dice, SIZE - 1);

	random_bytes(&dice, data, sizeof(data));
	memset(end - here, 0, here);
	memset(twin, 0, sizeof(twin));
	for (uint64_t i = 0; i < here; i++)
		mask[i / 8] |= (unsigned char)(random_below(&dice, 2) << i % 8);
	for (unsigned take = 0; take < 2; take++)
		loop->apply(&(struct cape_exact_bytes){end - here, twin, data, mask, SIZE}, take);
	for (uint64_t i = 0; i < here; i++)
		assert_int_equal(end[i - here], mask[i / 8] >> i % 8 & 1 ? data[i] : 0);
}

/* A byte that does not count is not written to, not even what it is. */
static void other_bytes_are_left_alone(void **state)
{
	unsigned char *pages =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_READ), 0);
	for (unsigned i = 0; cape_exact_loops[i]; i++)
		for (unsigned n = 0; n < CASES && cape_exact_loops[i]->usable(); n++)
			apply_at_end(cape_exact_loops[i], pages + PAGE);
	munmap(pages, 2 * PAGE);
}

/* -- beside a thread that writes -------------------------------------------------------------- */

static volatile unsigned char memory[PAGE] __attribute__((aligned(PAGE)));
static unsigned char twin[PAGE];
static uint32_t rounds; /* that the thread has made */
static bool stopping;

static bool is_stopping(void)
{
	__atomic_fetch_add(&rounds, 1, __ATOMIC_RELAXED);
	return __atomic_load_n(&stopping, __ATOMIC_RELAXED);
}

static pthread_t start_thread(void *(*run)(void *argument))
{
	pthread_t thread;

	rounds = 0;
	stopping = false;
	assert_int_equal(pthread_create(&thread, NULL, run, NULL), 0);
	return thread;
}

/* What the thread has found. */
static uint64_t stop_thread(pthread_t thread)
{
	void *result;

	__atomic_store_n(&stopping, true, __ATOMIC_RELAXED);
	assert_int_equal(pthread_join(thread, &result), 0);
	return (uint64_t)(uintptr_t)result;
}

/* Whether both have made their rounds; THIS has its I behind it. */
static bool is_enough(uint32_t i)
{
	if (i % 16 == 0)
		sched_yield();
	return i >= ROUNDS && __atomic_load_n(&rounds, __ATOMIC_RELAXED) >= ROUNDS;
}

/* Writes to every second byte; returns how many of them were not so afterwards. */
static void *write_odd_bytes(void *argument)
{
	uint64_t lost = 0;

	(void)argument;
	for (unsigned char value = 1; !is_stopping(); value++) {
		for (unsigned i = 1; i < PAGE; i += 2)
			memory[i] = value;
		for (unsigned i = 1; i < PAGE; i += 2)
			lost += memory[i] != value;
	}
	return (void *)(uintptr_t)lost;
}

static void merge_beside_a_thread(void **state)
{
	static unsigned char data[PAGE], mask[PAGE / 8];
	struct cape_exact_bytes bytes = {(unsigned char *)memory, twin, data, mask, PAGE};
	pthread_t thread;

	(void)state;
	memset(mask, 0x55, sizeof(mask));
	thread = start_thread(write_odd_bytes);
	for (uint32_t i = 0; !is_enough(i); i++) {
		memset(data, (int)i, sizeof(data));
		for (unsigned n = 0; cape_exact_loops[n]; n++)
			if (cape_exact_loops[n]->usable())
				cape_exact_loops[n]->apply(&bytes, i % 2);
	}
	assert_int_equal(stop_thread(thread), 0);
}

static void *write_all_words(void *argument)
{
	uint64_t value = 0;

	(void)argument;
	while (!is_stopping())
		for (unsigned i = 0; i < PAGE; i += sizeof(value))
			*(volatile uint64_t *)(memory + i) = value += 0x0101010101010101;
	return NULL;
}

static unsigned char other[PAGE];

static void begin_alike(void)
{
	memset((void *)memory, 0, PAGE);
	memset(twin, 0, PAGE);
	memset(other, 0, PAGE);
}

static struct cape_run page = {0, PAGE}; /* all of memory */

/* What is collected goes to another side, which then has what the twin has.  SENT: the bytes. */
static void collect(unsigned char *sent)
{
	static unsigned char base[PAGE];
	struct cape_exact_cursor cursor;
	struct cape_exact_run run;
	uint64_t end = 0;
	unsigned char *stop =
		cape_exact_collect(sent, &end, &page, (const void *)memory, twin, false);

	cape_exact_open(&cursor, sent, (uint64_t)(stop - sent));
	assert_int_equal(cape_exact_next(&cursor, &run), 1);
	cape_exact_set(&run, other, base);
	assert_memory_equal(other, twin, PAGE);
}

static void collect_beside_a_thread(void **state)
{
	static unsigned char sent[2 * PAGE];
	pthread_t thread;

	(void)state;
	begin_alike();
	thread = start_thread(write_all_words);
	for (uint32_t i = 0; !is_enough(i); i++)
		collect(sent);
	assert_int_equal(stop_thread(thread), 0);
}

static unsigned char *shut; /* a page */

/* As a thread would write at that moment. */
static void write_meanwhile(int number)
{
	(void)number;
	for (unsigned i = 0; i < PAGE; i += 3)
		memory[i]++;
	mprotect(shut, PAGE, PROT_READ | PROT_WRITE);
}

/* The thread writes when memory was copied, and is compared. */
static void write_between_copy_and_comparison(void **state)
{
	struct sigaction action = {.sa_handler = write_meanwhile}, before;
	unsigned char *pages =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t head = 1 + 2; /* bytes of an address 0 and of a page's length */

	(void)state;
	assert_ptr_not_equal(pages, MAP_FAILED);
	shut = pages + 2 * PAGE;
	begin_alike();
	assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
	for (unsigned i = 0; i < 3; i++) {
		memory[5 * i]++;
		assert_int_equal(mprotect(shut, PAGE, PROT_NONE), 0);
		/* The mask goes to the page that is shut. */
		collect(shut - PAGE - head);
	}
	sigaction(SIGSEGV, &before, NULL);
	munmap(pages, 3 * PAGE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_loops_agree),
		cmocka_unit_test(other_bytes_are_left_alone),
		cmocka_unit_test(merge_beside_a_thread),
		cmocka_unit_test(collect_beside_a_thread),
		cmocka_unit_test(write_between_copy_and_comparison),
	};

	random_start(&dice);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

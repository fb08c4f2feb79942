// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff.c - cape_diff() against a naive oracle: every loop, length, alignment and density.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include "checkpoint/diff_loop.h"
#include "random.h"

#define PAGE  4096ul
#define LIMIT (12 * PAGE)
#define CASES 4000

static struct random dice;

/* Memory that ends where reading on faults. */
static unsigned char *before_a_hole(void)
{
	unsigned char *got = mmap(NULL, LIMIT + PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(got != MAP_FAILED);
	assert_int_equal(mprotect(got + LIMIT, PAGE, PROT_NONE), 0);
	return got;
}

/* What diff.h promises, word by word. */
static void oracle(const unsigned char *memory, const unsigned char *twin, uint64_t length,
		   uint64_t address, struct cape_runs *runs)
{
	uint64_t end = address + length, start = 0, stop = 0;

	for (uint64_t at = address, next; at < end; at = next) {
		bool changed = false;

		next = end - at < 4 - at % 4 ? end : at + 4 - at % 4;
		for (uint64_t i = at; i < next; i++)
			changed |= memory[i - address] != (twin ? twin[i - address] : 0);
		if (!changed)
			continue;
		if (!stop || at - stop > CAPE_RUN_GAP) {
			assert_int_equal(cape_runs_add(runs, start, stop - start), 0);
			start = at;
		}
		stop = next;
	}
	assert_int_equal(cape_runs_add(runs, start, stop - start), 0);
}

static void assert_same_runs(const struct cape_runs *got, const struct cape_runs *want)
{
	assert_int_equal(got->count, want->count);
	assert_int_equal(got->bytes, want->bytes);
	for (size_t i = 0; i < want->count; i++) {
		assert_int_equal(got->run[i].address, want->run[i].address);
		assert_int_equal(got->run[i].length, want->run[i].length);
	}
}

/* Every loop there is on this CPU gives the runs of the oracle. */
static void check(const unsigned char *memory, const unsigned char *twin, uint64_t length,
		  uint64_t address)
{
	struct cape_runs got, want;

	cape_runs_init(&got, &cape_memory_heap);
	cape_runs_init(&want, &cape_memory_pages);
	oracle(memory, twin, length, address, &want);
	for (unsigned i = 0; cape_diff_loops[i]; i++) {
		if (!cape_diff_loops[i]->usable())
			continue;
		cape_runs_clear(&got);
		assert_int_equal(
			cape_diff_with(cape_diff_loops[i], memory, twin, length, address, &got), 0);
		assert_same_runs(&got, &want);
	}
	cape_runs_clear(&got);
	assert_int_equal(cape_diff(memory, twin, length, address, &got), 0);
	assert_same_runs(&got, &want);
	cape_runs_free(&got);
	cape_runs_free(&want);
}

/* Changes about one unit of bytes in ODDS. */
static void change(unsigned char *memory, size_t length, size_t unit, uint64_t odds)
{
	for (size_t i = 0; i < length; i += unit)
		if (random_below(&dice, odds) == 0)
			memory[i] ^= (unsigned char)(1 + random_below(&dice, 255));
}

static uint64_t random_length(void)
{
	switch (random_below(&dice, 4)) {
	case 0:
		return random_below(&dice, 40);
	case 1:
		return random_below(&dice, 700);
	case 2:
		return random_below(&dice, 3 * PAGE) & -256ul;
	default:
		return random_below(&dice, LIMIT - 64);
	}
}

static uint64_t random_address(uint64_t length)
{
	switch (random_below(&dice, 3)) {
	case 0:
		return random_below(&dice, 9);
	case 1:
		return UINT64_MAX - length - random_below(&dice, 9);
	default:
		return 0x300000000000 + random_below(&dice, 2 * PAGE);
	}
}

static void random_ranges(void **state)
{
	static const uint64_t odds[] = {1, 2, 3, 5, 10, 64, 1024, 100000};
	unsigned char *memory = before_a_hole(), *twin = before_a_hole();

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t length = random_length();
		unsigned char *start = memory + LIMIT - length - random_below(&dice, 2) * 3;
		unsigned char *base = twin + LIMIT - length - random_below(&dice, 2) * 5;
		bool zeros = random_below(&dice, 3) == 0;

		if (zeros)
			memset(start, 0, length);
		else
			random_bytes(&dice, start, length);
		memcpy(base, start, length);
		change(start, length, random_below(&dice, 2) ? 4 : 1,
		       odds[random_below(&dice, sizeof(odds) / sizeof(odds[0]))]);
		check(start, zeros ? NULL : base, length, random_address(length));
	}
	munmap(memory, LIMIT + PAGE);
	munmap(twin, LIMIT + PAGE);
}

/* Runs that end, begin, or have their gaps around the ends of chunks, blocks and pages. */
static void around_boundaries(void **state)
{
	unsigned char *memory = before_a_hole(), *twin = before_a_hole();
	const uint64_t boundary[] = {256, 512, PAGE, 2 * PAGE, 3 * PAGE};

	(void)state;
	for (unsigned i = 0; i < sizeof(boundary) / sizeof(boundary[0]); i++) {
		for (uint64_t bits = 1; bits < 1 << 12; bits++) {
			uint64_t first = boundary[i] - 6 * 4, length = boundary[i] + 6 * 4;

			memset(memory, 0, 4 * PAGE);
			for (unsigned word = 0; word < 12; word++)
				memory[first + 4 * word] = bits >> word & 1;
			check(memory, bits & 1 ? twin : NULL, bits & 2 ? length : 4 * PAGE,
			      0x300000000000);
		}
	}
	munmap(memory, LIMIT + PAGE);
	munmap(twin, LIMIT + PAGE);
}

static void nothing_and_everything(void **state)
{
	unsigned char *memory = before_a_hole(), *twin = before_a_hole();
	struct cape_runs runs;

	(void)state;
	cape_runs_init(&runs, &cape_memory_heap);
	assert_int_equal(cape_diff(memory, twin, LIMIT, PAGE, &runs), 0);
	assert_int_equal(cape_diff(memory, NULL, LIMIT, PAGE, &runs), 0);
	assert_int_equal(cape_diff(memory, NULL, 0, PAGE, &runs), 0);
	assert_int_equal(runs.count, 0);
	memset(memory, 1, LIMIT);
	assert_int_equal(cape_diff(memory, twin, LIMIT, PAGE, &runs), 0);
	assert_int_equal(runs.count, 1);
	assert_int_equal(runs.run[0].address, PAGE);
	assert_int_equal(runs.run[0].length, LIMIT);
	assert_int_equal(runs.bytes, LIMIT);
	cape_runs_free(&runs);
	munmap(memory, LIMIT + PAGE);
	munmap(twin, LIMIT + PAGE);
}

/* Several calls append; a run does not reach from one range into the next. */
static void calls_in_a_row(void **state)
{
	static const unsigned char ones[64] = {[0 ... 63] = 1};
	struct cape_runs runs;

	(void)state;
	cape_runs_init(&runs, &cape_memory_heap);
	assert_int_equal(cape_diff(ones, NULL, 64, 100, &runs), 0);
	assert_int_equal(cape_diff(ones, NULL, 64, 164, &runs), 0);
	assert_int_equal(cape_diff(ones, NULL, 63, 232, &runs), 0);
	assert_int_equal(runs.count, 3);
	assert_int_equal(runs.bytes, 64 + 64 + 63);
	assert_int_equal(runs.run[1].address, 164);
	assert_int_equal(cape_diff(ones, NULL, 64, 294, &runs), -EINVAL);
	assert_int_equal(cape_diff(ones, NULL, 64, UINT64_MAX - 62, &runs), -EINVAL);
	assert_int_equal(runs.count, 3);
	cape_runs_free(&runs);
}

static void *no_memory(struct cape_memory *memory, void *old, size_t old_size, size_t new_size)
{
	(void)memory;
	(void)old;
	(void)old_size;
	(void)new_size;
	return NULL;
}

static void out_of_memory(void **state)
{
	static const unsigned char ones[1024] = {[0 ... 1023] = 1};
	struct cape_memory none = {.resize = no_memory};
	struct cape_runs runs;

	(void)state;
	cape_runs_init(&runs, &none);
	assert_int_equal(cape_diff(ones, NULL, sizeof(ones), 100, &runs), -ENOMEM);
	assert_int_equal(cape_runs_add(&runs, 100, 1), -ENOMEM);
	assert_int_equal(runs.count, 0);
	assert_int_equal(runs.bytes, 0);
}

static void adding_runs(void **state)
{
	struct cape_runs runs;

	(void)state;
	cape_runs_init(&runs, &cape_memory_pages);
	assert_int_equal(cape_runs_add(&runs, 8, 4), 0);
	assert_int_equal(cape_runs_add(&runs, 12, 4), 0);
	assert_int_equal(cape_runs_add(&runs, 20, 0), 0);
	assert_int_equal(cape_runs_add(&runs, 20, 1), 0);
	assert_int_equal(runs.count, 2);
	assert_int_equal(runs.bytes, 9);
	assert_int_equal(cape_runs_add(&runs, 20, 1), -EINVAL);
	assert_int_equal(cape_runs_add(&runs, 30, UINT64_MAX), -EINVAL);
	for (uint64_t i = 0; i < 100000; i++)
		assert_int_equal(cape_runs_add(&runs, 100 + 2 * i, 1), 0);
	assert_int_equal(runs.count, 100002);
	assert_int_equal(cape_runs_reserve(&runs, SIZE_MAX), -ENOMEM);
	assert_int_equal(cape_runs_reserve(&runs, SIZE_MAX / 8), -ENOMEM);
	assert_int_equal(runs.run[100001].address, 100 + 2 * 99999);
	assert_int_equal(cape_runs_end(&runs), 101 + 2 * 99999);
	cape_runs_free(&runs);
	assert_int_equal(cape_runs_end(&runs), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_ranges),	  cmocka_unit_test(around_boundaries),
		cmocka_unit_test(nothing_and_everything), cmocka_unit_test(calls_in_a_row),
		cmocka_unit_test(out_of_memory),	  cmocka_unit_test(adding_runs),
	};

	random_start(&dice);
	return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}

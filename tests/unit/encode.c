// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * encode.c - the structures of memory members: round trips, sizes, and malformed input.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "paper/encode.h"
#include "random.h"

#define SPACE (64ul << 10)
#define START 0x40000000ul /* a multiple of every page size */
#define CASES 3000

static struct random dice;
static unsigned char space[SPACE];

static int read_space(void *context, uint64_t address, void *bytes, size_t length)
{
	(void)context;
	assert_true(address >= START && length <= SPACE && address - START <= SPACE - length);
	memcpy(bytes, space + (address - START), length);
	return 0;
}

static const struct cape_reader access_space = {.read = read_space};

static struct cape_format random_format(void)
{
	struct cape_format format = {.structure = (enum cape_structure)random_below(&dice, 5),
				     .address_size = random_below(&dice, 2) ? 4 : 8,
				     .length_size = random_below(&dice, 2) ? 4 : 8,
				     .page_size = 32u << random_below(&dice, 8),
				     .by_page = random_below(&dice, 2)};

	return format;
}

/* Runs in the space, sparse or dense, of words or of bytes. */
static void random_runs(struct cape_runs *runs)
{
	uint64_t unit = random_below(&dice, 3) ? 4 : 1;
	uint64_t gaps = 1 + random_below(&dice, 1 + random_below(&dice, 800));
	uint64_t lengths = 1 + random_below(&dice, 1 + random_below(&dice, 100));
	uint64_t at = START + random_below(&dice, SPACE / 4) * 4;

	cape_runs_clear(runs);
	for (;;) {
		uint64_t length = unit * (1 + random_below(&dice, lengths));

		if (at - START + length > SPACE)
			break;
		assert_int_equal(cape_runs_add(runs, at, length), 0);
		at += length + unit * (1 + random_below(&dice, gaps));
		if (random_below(&dice, 200) == 0)
			break;
	}
}

/* What decoding gives: the runs rounded to UNIT. */
static void round_runs(const struct cape_runs *runs, uint64_t unit, struct cape_runs *rounded)
{
	cape_runs_clear(rounded);
	for (size_t i = 0; i < runs->count; i++) {
		uint64_t start = runs->run[i].address / unit * unit;
		uint64_t end = runs->run[i].address + runs->run[i].length + unit - 1;

		end -= end % unit;
		if (start < cape_runs_end(rounded))
			start = cape_runs_end(rounded);
		if (start < end)
			assert_int_equal(cape_runs_add(rounded, start, end - start), 0);
	}
}

static uint64_t unit_of(const struct cape_format *format)
{
	switch (format->structure) {
	case CAPE_SD:
	case CAPE_MD:
		return CAPE_WORD;
	case CAPE_EP:
		return format->page_size;
	default:
		return 1;
	}
}

/* Everything that one case needs. */
struct trip {
	struct cape_runs runs, want, got;
	struct cape_buffer encoded, data;
};

static void start(struct trip *trip)
{
	cape_runs_init(&trip->runs, &cape_memory_heap);
	cape_runs_init(&trip->want, &cape_memory_heap);
	cape_runs_init(&trip->got, &cape_memory_heap);
	cape_buffer_init(&trip->encoded, &cape_memory_heap);
	cape_buffer_init(&trip->data, &cape_memory_heap);
}

static void finish(struct trip *trip)
{
	cape_runs_free(&trip->runs);
	cape_runs_free(&trip->want);
	cape_runs_free(&trip->got);
	cape_buffer_free(&trip->encoded);
	cape_buffer_free(&trip->data);
}

static void assert_decoded(const struct trip *trip)
{
	const unsigned char *data = trip->data.bytes;

	assert_int_equal(trip->got.count, trip->want.count);
	assert_int_equal(trip->got.bytes, trip->want.bytes);
	assert_int_equal(trip->data.size, trip->want.bytes);
	for (size_t i = 0; i < trip->want.count; i++) {
		const struct cape_run *run = &trip->want.run[i];

		assert_int_equal(trip->got.run[i].address, run->address);
		assert_int_equal(trip->got.run[i].length, run->length);
		assert_memory_equal(data, space + (run->address - START), run->length);
		data += run->length;
	}
}

/* Decodes a copy that ends where reading on is noticed. */
static int decode(const struct cape_format *format, struct trip *trip, size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);
	int error;

	assert_non_null(copy);
	if (size)
		memcpy(copy, trip->encoded.bytes, size);
	cape_runs_clear(&trip->got);
	trip->data.size = 0;
	error = cape_decode(format, copy, size, &trip->got, &trip->data);
	free(copy);
	return error;
}

static void round_trips(void **state)
{
	(void)state;
	random_bytes(&dice, space, SPACE);
	for (unsigned i = 0; i < CASES; i++) {
		struct cape_format format = random_format();
		struct trip trip;

		start(&trip);
		random_runs(&trip.runs);
		round_runs(&trip.runs, unit_of(&format), &trip.want);
		assert_int_equal(cape_encode(&format, &trip.runs, &access_space, &trip.encoded), 0);
		assert_int_equal(cape_encoded_size(&format, &trip.runs), trip.encoded.size);
		assert_int_equal(decode(&format, &trip, trip.encoded.size), 0);
		assert_decoded(&trip);
		finish(&trip);
	}
}

/* Whatever comes out of malformed input, it is a list of runs and their data, or an error. */
static int decode_anything(const struct cape_format *format, struct trip *trip, size_t size)
{
	int error = decode(format, trip, size);
	uint64_t bytes = 0;

	if (error) {
		assert_int_equal(error, -EBADMSG);
		return error;
	}
	for (size_t i = 0; i < trip->got.count; i++) {
		const struct cape_run *run = &trip->got.run[i];

		assert_true(run->length > 0 && run->length <= UINT64_MAX - run->address);
		if (i > 0)
			assert_true(run[-1].address + run[-1].length < run->address);
		bytes += run->length;
	}
	assert_int_equal(bytes, trip->got.bytes);
	assert_int_equal(bytes, trip->data.size);
	assert_true(bytes <= size);
	return 0;
}

static void mutated(void **state)
{
	unsigned refused = 0;

	(void)state;
	for (unsigned i = 0; i < 2 * CASES; i++) {
		struct cape_format format = random_format();
		struct trip trip;
		size_t size;

		start(&trip);
		random_runs(&trip.runs);
		if (trip.runs.count > 40)
			trip.runs.count = 40;
		assert_int_equal(cape_encode(&format, &trip.runs, &access_space, &trip.encoded), 0);
		size = trip.encoded.size;
		for (uint64_t n = random_below(&dice, 4); n > 0 && size; n--) {
			size_t limit = random_below(&dice, 2) && size > 24 ? 24 : size;

			trip.encoded.bytes[random_below(&dice, limit)] ^=
				(unsigned char)(1u << random_below(&dice, 8));
		}
		if (random_below(&dice, 3) == 0)
			size = random_below(&dice, size + 1);
		refused += decode_anything(&format, &trip, size) != 0;
		finish(&trip);
	}
	assert_true(refused > CASES / 4);
}

static void random_input(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4 * CASES; i++) {
		struct cape_format format = random_format();
		size_t size = 1 + random_below(&dice, 300);
		struct trip trip;

		start(&trip);
		random_bytes(&dice, cape_buffer_extend(&trip.encoded, size), size);
		for (size_t n = 0; n < size; n++)
			if (random_below(&dice, 4))
				trip.encoded.bytes[n] &= 0x83;
		decode_anything(&format, &trip, size);
		finish(&trip);
	}
}

/* A part of what was written is no checkpoint: records are whole, COMPACT is all or nothing. */
static void cut(void **state)
{
	const struct cape_format format = CAPE_FORMAT(CAPE_COMPACT);
	struct trip trip;

	(void)state;
	start(&trip);
	for (uint64_t i = 0; i < 300; i++)
		assert_int_equal(cape_runs_add(&trip.runs, START + 12 * i, 4), 0);
	assert_int_equal(cape_encode(&format, &trip.runs, &access_space, &trip.encoded), 0);
	for (size_t size = 0; size < trip.encoded.size; size++)
		assert_int_equal(decode_anything(&format, &trip, size), -EBADMSG);
	assert_int_equal(decode_anything(&format, &trip, trip.encoded.size), 0);
	finish(&trip);
}

static void assert_refused(enum cape_structure structure, const char *bytes, size_t size)
{
	const struct cape_format format = {structure, 8, 4, 32, false};
	struct trip trip;

	start(&trip);
	assert_int_equal(cape_buffer_append(&trip.encoded, bytes, size), 0);
	assert_int_equal(decode_anything(&format, &trip, size), -EBADMSG);
	finish(&trip);
}

#define REFUSED(structure, bytes) assert_refused(structure, bytes, sizeof(bytes) - 1)

static void malformed(void **state)
{
	(void)state;
	REFUSED(CAPE_SD, "\2\0\0\0\0\0\0\0word");			 /* not a word's */
	REFUSED(CAPE_SD, "\0\0\0\0\0\0\0\0word\0\0\0\0\0\0\0\0word");	 /* twice */
	REFUSED(CAPE_SD, "\0\0\0\0\0\0\0\0wor");			 /* cut */
	REFUSED(CAPE_SSD, "\0\0\0\0\0\0\0\0\0\0\0\0");			 /* empty */
	REFUSED(CAPE_SSD, "\377\377\377\377\377\377\377\377\2\0\0\0ab"); /* wraps */
	REFUSED(CAPE_SSD, "\0\0\0\0\0\0\0\0\377\377\377\377ab");	 /* too long */
	REFUSED(CAPE_MD, "\40\0\0\0\0\0\0\0\0");			 /* no words */
	REFUSED(CAPE_MD, "\41\0\0\0\0\0\0\0\1word");			 /* not a page's */
	REFUSED(CAPE_MD, "\340\377\377\377\377\377\377\377\1word");	 /* wraps */
	REFUSED(CAPE_EP, "\40\0\0\0\0\0\0\0a page of fewer than 32 bytes");
	REFUSED(CAPE_COMPACT, "\3\1\1");	       /* table cut */
	REFUSED(CAPE_COMPACT, "\2\1\2a");	       /* more than there is */
	REFUSED(CAPE_COMPACT, "\2\1\1ab");	       /* left over */
	REFUSED(CAPE_COMPACT, "\3\1\0\0");	       /* page of no words */
	REFUSED(CAPE_COMPACT, "\3\1\0\1wor");	       /* words cut */
	REFUSED(CAPE_COMPACT, "\5\4\4\0\0\2fourword"); /* words twice */
	REFUSED(CAPE_COMPACT, "\14\377\377\377\377\377\377\377\377\377\1\0\1word");
	REFUSED(CAPE_COMPACT,
		"\13\201\200\200\200\200\200\200\200\10\0\1word"); /* page 2^64 + 32 */
	REFUSED(CAPE_COMPACT, "\14\1\377\377\377\377\377\377\377\377\377\1\1word");
	REFUSED(CAPE_COMPACT, "\14\377\377\377\377\377\377\377\377\377\1\1\1word");
}

static uint64_t one_run_size(struct cape_format format, uint64_t address, uint64_t length)
{
	struct cape_run run = {address, length};
	struct cape_runs runs = {.run = &run, .count = 1, .bytes = length};

	return cape_encoded_size(&format, &runs);
}

/* Table 3.3: one run of 4 N N bytes; method 1 cuts it at the ends of pages. */
static void sizes_of_the_thesis(void **state)
{
	struct cape_format method_1 = CAPE_FORMAT_THESIS(CAPE_SSD);

	(void)state;
	method_1.by_page = true;
	assert_int_equal(one_run_size(CAPE_FORMAT_THESIS(CAPE_SSD), 0x8049000, 400), 408);
	assert_int_equal(one_run_size(CAPE_FORMAT_THESIS(CAPE_SSD), 0x8049000, 16000000), 16000008);
	assert_int_equal(one_run_size(CAPE_FORMAT_THESIS(CAPE_SSD), 0x8049000, 256000000),
			 256000008);
	assert_int_equal(one_run_size(method_1, 0x8049000, 400), 408);
	assert_int_equal(one_run_size(method_1, 0x8049f00, 40000), 40088);
	assert_int_equal(one_run_size(method_1, 0x8049000, 4000000), 4007816);
	assert_int_equal(one_run_size(method_1, 0x8049000, 16000000), 16031256);
	/* Section 2.3.3.3: SD takes 8 bytes for a word; MD has a map of 1024 bits. */
	assert_int_equal(one_run_size(CAPE_FORMAT_THESIS(CAPE_SD), 0x8049000, 400), 800);
	assert_int_equal(one_run_size(CAPE_FORMAT_THESIS(CAPE_MD), 0x8049000, 400), 4 + 128 + 400);
	assert_int_equal(one_run_size(CAPE_FORMAT_THESIS(CAPE_EP), 0x8049ffc, 8), 2 * 4100);
}

/* Bytes for a byte that changed, on 64 bits: what made COMPACT what it is. */
static double overhead(enum cape_structure structure, const struct cape_runs *runs)
{
	const struct cape_format format = CAPE_FORMAT(structure);

	return (double)cape_encoded_size(&format, runs) / (double)runs->bytes;
}

static void assert_about(double value, double want)
{
	assert_true(value > want - 0.01 * want && value < want + 0.01 * want);
}

static void overheads(void **state)
{
	struct cape_runs runs;

	(void)state;
	cape_runs_init(&runs, &cape_memory_heap);
	assert_int_equal(cape_runs_add(&runs, START, 64 << 20), 0);
	assert_about(overhead(CAPE_SSD, &runs), 1.00);
	assert_about(overhead(CAPE_COMPACT, &runs), 1.00);

	cape_runs_clear(&runs);
	for (uint64_t i = 0; i < 16384; i++)
		assert_int_equal(cape_runs_add(&runs, START + 4096 * i + 64, 4), 0);
	assert_about(overhead(CAPE_SSD, &runs), 4.0);
	assert_about(overhead(CAPE_MD, &runs), 35);
	assert_about(overhead(CAPE_COMPACT, &runs), 1.75);

	cape_runs_clear(&runs);
	for (uint64_t i = 0; i < 4 << 20; i++)
		if (random_below(&dice, 10) == 0)
			assert_int_equal(cape_runs_add(&runs, START + 4 * i, 4), 0);
	assert_about(overhead(CAPE_SSD, &runs), 3.7);
	assert_about(overhead(CAPE_MD, &runs), 1.33);
	assert_true(overhead(CAPE_COMPACT, &runs) <= overhead(CAPE_MD, &runs));
	cape_runs_free(&runs);
}

static int no_read(void *context, uint64_t address, void *bytes, size_t length)
{
	(void)context;
	(void)address;
	(void)bytes;
	(void)length;
	return -EFAULT;
}

static void errors(void **state)
{
	const struct cape_reader unreadable = {.read = no_read};
	struct cape_format format = CAPE_FORMAT_THESIS(CAPE_SSD);
	struct trip trip;

	(void)state;
	start(&trip);
	assert_int_equal(cape_runs_add(&trip.runs, START, 8), 0);
	assert_int_equal(cape_encode(&format, &trip.runs, &unreadable, &trip.encoded), -EFAULT);
	assert_int_equal(cape_runs_add(&trip.runs, 1ul << 32, 8), 0);
	assert_int_equal(cape_encode(&format, &trip.runs, &access_space, &trip.encoded), -ERANGE);
	assert_int_equal(trip.encoded.size, 0);
	assert_int_equal(cape_buffer_append(&trip.encoded, space, 16), 0);
	format.address_size = 5;
	assert_int_equal(cape_encode(&format, &trip.runs, &access_space, &trip.encoded), -EINVAL);
	assert_int_equal(cape_encoded_size(&format, &trip.runs), 0);
	assert_int_equal(decode(&format, &trip, 16), -EINVAL);
	format = CAPE_FORMAT(CAPE_MD);
	format.page_size = 96;
	assert_int_equal(decode(&format, &trip, 16), -EINVAL);
	format.page_size = 2 * CAPE_PAGE_LIMIT;
	assert_int_equal(decode(&format, &trip, 16), -EINVAL);
	finish(&trip);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),	cmocka_unit_test(mutated),
		cmocka_unit_test(random_input), cmocka_unit_test(cut),
		cmocka_unit_test(overheads),	cmocka_unit_test(sizes_of_the_thesis),
		cmocka_unit_test(errors),	cmocka_unit_test(malformed),
	};

	random_start(&dice);
	return cmocka_run_group_tests_name("encode", tests, NULL, NULL);
}

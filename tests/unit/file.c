// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file.c - checkpoints as files: what is written is read again, and what is damaged is told.
 *
 * LONG: 10,000 mutated files in place of some hundred.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "file/reader.h"
#include "file/writer.h"
#include "file_seal.h"
#include "random.h"

#define START 0x10000ul
#define SPACE (2ul << 20)

static struct random dice;
static char folder[] = "/tmp/cape-test-file-XXXXXX";
static char path[64];
static unsigned char space[SPACE], image[SPACE];

static const struct file_head head = {.kind = FILE_SYNC_POINT,
				      .node = 1,
				      .nodes = 4,
				      .page_size = 4096,
				      .time = 7,
				      .run = 0x1234567890abcdef,
				      .number = 3,
				      .previous = 99};

static int read_space(void *context, uint64_t address, void *bytes, size_t length)
{
	(void)context;
	memcpy(bytes, space + (address - START), length);
	return 0;
}

static const struct cape_reader access_space = {.read = read_space};

static struct file_writer *begin(void)
{
	struct file_writer *writer;
	struct file_error error;

	assert_int_equal(file_writer_open(&writer, folder, "c", &head, &error), 0);
	return writer;
}

static void commit(struct file_writer *writer)
{
	struct file_error error;

	assert_int_equal(file_writer_commit(writer, NULL, &error), 0);
}

static struct file_reader *reopen(void)
{
	struct file_reader *reader;
	struct file_error error = {.text = ""};

	if (file_reader_open(&reader, path, &error))
		fail_msg("%s", error.text);
	return reader;
}

static void fill_random_block(uint64_t at, uint64_t length)
{
	switch (random_below(&dice, 3)) {
	case 0:
		random_bytes(&dice, space + at, length);
		break;
	case 1:
		memset(space + at, (int)random_below(&dice, 256), length);
		break;
	default:
		memset(space + at, 0, length);
		break;
	}
}

static void fill_space(void)
{
	for (uint64_t at = 0, length; at < SPACE; at += length) {
		length = 1 + random_below(&dice, random_below(&dice, 2) ? 100 : 200000);
		if (length > SPACE - at)
			length = SPACE - at;
		fill_random_block(at, length);
	}
}

/* Puts what the file has into the image, and notes where in COVERED. */
static void load(struct file_reader *reader, unsigned char *covered)
{
	struct file_error error;

	for (size_t i = 0; i < file_reader_sections(reader); i++) {
		const struct file_section *section = file_reader_section(reader, i);
		const unsigned char *bytes;
		const struct cape_runs *runs;

		if (section->kind == FILE_RUNS) {
			assert_int_equal(file_read_runs(reader, i, &runs, &bytes, &error), 0);
			for (size_t run = 0; run < runs->count; run++) {
				memcpy(image + (runs->run[run].address - START), bytes,
				       runs->run[run].length);
				memset(covered + (runs->run[run].address - START), 1,
				       runs->run[run].length);
				bytes += runs->run[run].length;
			}
			continue;
		}
		memset(covered + (section->address - START), 1, section->size);
		if (file_is_zeros(reader, i)) {
			memset(image + (section->address - START), 0, section->size);
			continue;
		}
		assert_int_equal(file_read(reader, i, &bytes, &error), 0);
		memcpy(image + (section->address - START), bytes, section->size);
	}
}

/* Memory and runs of any kind, which follow each other. */
static void returns_what_was_written(void **state)
{
	static unsigned char wanted[SPACE], covered[SPACE];
	struct cape_runs runs;
	struct file_error error;

	(void)state;
	cape_runs_init(&runs, &cape_memory_heap);
	for (unsigned i = 0; i < 20; i++) {
		struct file_writer *writer = begin();
		struct file_reader *reader;
		uint64_t at = 0;

		memset(wanted, 0, SPACE);
		memset(covered, 0, SPACE);
		fill_space();
		while (at < SPACE) {
			uint64_t length = 1 + random_below(&dice, 400000);
			uint64_t step = 1 + random_below(&dice, random_below(&dice, 2) ? 5 : 900);

			if (length > SPACE - at)
				length = SPACE - at;
			if (random_below(&dice, 2)) {
				assert_int_equal(
					file_write_memory(writer, (struct cape_stamp){1, 0},
							  START + at, space + at, length, &error),
					0);
				memset(wanted + at, 1, length);
			} else {
				cape_runs_clear(&runs);
				for (uint64_t run = 0; run + step <= length; run += 2 * step) {
					cape_runs_add(&runs, START + at + run, step);
					memset(wanted + at + run, 1, step);
				}
				assert_int_equal(file_write_runs(writer, (struct cape_stamp){1, 0},
								 &runs, &access_space, &error),
						 0);
			}
			at += length + (random_below(&dice, 2) ? random_below(&dice, 9000) : 0);
		}
		commit(writer);
		memset(image, 0xee, SPACE);
		reader = reopen();
		assert_int_equal(file_verify(reader, &error), 0);
		load(reader, covered);
		file_reader_close(reader);
		assert_memory_equal(covered, wanted, SPACE);
		for (uint64_t byte = 0; byte < SPACE; byte++)
			if (wanted[byte])
				assert_int_equal(image[byte], space[byte]);
	}
	cape_runs_free(&runs);
}

static void add_operands(struct cape_checkpoint *checkpoint)
{
	struct cape_operand operand = {
		.address = START, .count = 2, .op = CAPE_ADD, .type = CAPE_DOUBLE, .stamp = {7, 1}};

	cape_checkpoint_init(checkpoint, &cape_memory_heap);
	for (unsigned i = 0; i < 3; i++, operand.address += 64)
		assert_int_equal(
			cape_checkpoint_append_operand(checkpoint, operand, (double[]){1.5, i}), 0);
}

/* A small file with everything in it. */
static void write_small(void)
{
	struct file_writer *writer = begin();
	struct cape_checkpoint checkpoint;
	struct cape_runs runs;
	struct file_error error;

	random_bytes(&dice, space, 4096);
	memset(space + 100, 'a', 100);
	memset(space + 4096, 0, 8192);
	cape_runs_init(&runs, &cape_memory_heap);
	for (uint64_t at = 12300; at < 12500; at += 9)
		cape_runs_add(&runs, START + at, 1);
	assert_int_equal(file_write_named(writer, FILE_REGISTERS, 2, "abcd", 4, &error), 0);
	assert_int_equal(file_write_named(writer, FILE_PROGRAM, 0, NULL, 0, &error), 0);
	assert_int_equal(file_write_memory(writer, (struct cape_stamp){1, 0}, START + 50,
					   space + 50, 300, &error),
			 0);
	assert_int_equal(file_write_memory(writer, (struct cape_stamp){1, 0}, START + 4096,
					   space + 4096, 8192, &error),
			 0);
	assert_int_equal(
		file_write_runs(writer, (struct cape_stamp){1, 0}, &runs, &access_space, &error),
		0);
	assert_int_equal(
		file_write_memory(writer, (struct cape_stamp){1, 1}, START, space, 100, &error), 0);
	add_operands(&checkpoint);
	assert_int_equal(file_write_operands(writer, &checkpoint, &error), 0);
	commit(writer);
	cape_checkpoint_free(&checkpoint);
	cape_runs_free(&runs);
}

static void keeps_names_head_and_operands(void **state)
{
	struct cape_checkpoint wanted, got;
	const unsigned char *bytes;
	struct file_error error;
	struct file_reader *reader;
	size_t i, last;

	(void)state;
	write_small();
	reader = reopen();
	last = file_reader_sections(reader) - 1;
	assert_memory_equal(file_reader_head(reader), &head, sizeof(head));
	i = file_reader_find(reader, FILE_REGISTERS, 2);
	assert_int_equal(file_read(reader, i, &bytes, &error), 0);
	assert_memory_equal(bytes, "abcd", 4);
	assert_true(file_reader_find(reader, FILE_REGISTERS, 0) > last);
	i = file_reader_find(reader, FILE_PROGRAM, 0);
	assert_int_equal(file_reader_section(reader, i)->size, 0);
	assert_int_equal(file_read(reader, i, &bytes, &error), 0);
	add_operands(&wanted);
	cape_checkpoint_init(&got, &cape_memory_heap);
	assert_int_equal(file_reader_section(reader, last)->kind, FILE_OPERANDS);
	assert_int_equal(file_read_operands(reader, last, &got, &error), 0);
	assert_true(cape_checkpoint_equal(&wanted, &got));
	cape_checkpoint_free(&wanted);
	cape_checkpoint_free(&got);
	file_reader_close(reader);
}

static size_t read_file(unsigned char *bytes, size_t room)
{
	int file = open(path, O_RDONLY);
	ssize_t size = read(file, bytes, room);

	assert_true(size > 0 && (size_t)size < room);
	close(file);
	return (size_t)size;
}

static void write_file(const unsigned char *bytes, size_t size)
{
	int file = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);

	assert_int_equal(write(file, bytes, size), (ssize_t)size);
	close(file);
}

/* 0, or the error of opening or reading, which must be one with a place. */
static int look(void)
{
	struct file_error error = {.number = 0};
	struct file_reader *reader;
	int failed = file_reader_open(&reader, path, &error);

	if (!failed)
		failed = file_verify(reader, &error);
	if (failed) {
		assert_int_equal(error.number, -failed);
		assert_memory_equal(error.text, path, strlen(path));
		assert_non_null(strstr(error.text, ": at byte "));
	}
	file_reader_close(reader);
	return failed;
}

static void tells_every_truncation(void **state)
{
	static unsigned char bytes[65536];
	size_t size;

	(void)state;
	write_small();
	size = read_file(bytes, sizeof(bytes));
	for (size_t cut = 0; cut < size; cut++) {
		write_file(bytes, cut);
		assert_int_equal(look(), -EBADMSG);
	}
	write_file(bytes, size + 1);
	assert_int_equal(look(), -EBADMSG);
	write_file(bytes, size);
	assert_int_equal(look(), 0);
}

static void tells_every_flipped_bit(void **state)
{
	static unsigned char bytes[65536];
	size_t size;

	(void)state;
	write_small();
	size = read_file(bytes, sizeof(bytes));
	for (size_t bit = 0; bit < 8 * size; bit++) {
		int file = open(path, O_WRONLY);
		unsigned char flipped = (unsigned char)(bytes[bit / 8] ^ 1u << bit % 8);

		assert_int_equal(pwrite(file, &flipped, 1, (off_t)(bit / 8)), 1);
		assert_int_equal(look(), -EBADMSG);
		assert_int_equal(pwrite(file, &bytes[bit / 8], 1, (off_t)(bit / 8)), 1);
		close(file);
	}
	assert_int_equal(look(), 0);
}

static void mutate(unsigned char *bytes, size_t size)
{
	static const uint64_t telling[] = {
		0,	   1,	       0x7f,	  0xff,		  1ul << 20,
		1ul << 28, UINT32_MAX, 1ul << 63, UINT64_MAX - 1, UINT64_MAX};

	for (uint64_t left = 1 + random_below(&dice, 4); left; left--) {
		size_t at = random_below(&dice, size - 8);

		if (random_below(&dice, 2))
			bytes[at] ^= (unsigned char)(1u << random_below(&dice, 8));
		else
			file_put(bytes + at, telling[random_below(&dice, 10)],
				 1u << random_below(&dice, 4));
	}
}

/* With right checksums the reader has only its own checks: sanitizers say whether they do. */
static void survives_mutations(void **state)
{
	static unsigned char bytes[65536], changed[65536];
	unsigned sound = 0, cases = getenv("LONG") ? 10000 : 600;
	size_t size;

	(void)state;
	write_small();
	size = read_file(bytes, sizeof(bytes));
	for (unsigned i = 0; i < cases; i++) {
		int failed;

		memcpy(changed, bytes, size);
		mutate(changed, size);
		file_seal(changed, size);
		write_file(changed, size);
		failed = look();
		assert_true(failed == 0 || failed == -EBADMSG);
		sound += !failed;
	}
	/* Some mutations are of contents, and nothing that could be told. */
	assert_in_range(sound, 1, cases - 1);
}

static uint64_t size_of_file(void)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return (uint64_t)status.st_size;
}

static void takes_little_more_than_changed(void **state)
{
	struct file_writer *writer = begin();
	struct cape_runs runs;
	struct file_error error;

	(void)state;
	random_bytes(&dice, space, SPACE);
	cape_runs_init(&runs, &cape_memory_heap);
	for (uint64_t at = 0; at + 100 < SPACE; at += 300)
		cape_runs_add(&runs, START + at, 100);
	assert_int_equal(
		file_write_runs(writer, (struct cape_stamp){1, 0}, &runs, &access_space, &error),
		0);
	commit(writer);
	assert_true((double)size_of_file() <= 1.05 * (double)runs.bytes);
	cape_runs_free(&runs);

	writer = begin();
	assert_int_equal(
		file_write_memory(writer, (struct cape_stamp){1, 0}, START, space, SPACE, &error),
		0);
	commit(writer);
	assert_true((double)size_of_file() <= 1.01 * SPACE);
}

static void leaves_zeros_out_and_packs(void **state)
{
	struct file_writer *writer = begin();
	struct file_error error;

	(void)state;
	memset(space, 0, SPACE);
	for (uint64_t at = 0; at < SPACE; at += SPACE / 4)
		space[at] = 1;
	assert_int_equal(
		file_write_memory(writer, (struct cape_stamp){1, 0}, START, space, SPACE, &error),
		0);
	commit(writer);
	assert_in_range(size_of_file(), 1, 1500);
	writer = begin();
	for (uint64_t at = 0; at < SPACE; at++)
		space[at] = (unsigned char)(at % 10 + 1);
	assert_int_equal(
		file_write_memory(writer, (struct cape_stamp){1, 0}, START, space, SPACE, &error),
		0);
	commit(writer);
	assert_in_range(size_of_file(), 1, SPACE / 20);
}

static unsigned files_in_folder(void)
{
	DIR *list = opendir(folder);
	unsigned count = 0;

	while (readdir(list))
		count++;
	closedir(list);
	return count - 2;
}

static void leaves_the_old_file_when_it_fails(void **state)
{
	struct rlimit before, small = {.rlim_cur = 100000};
	struct file_writer *writer;
	struct file_error error = {.number = 0};
	int failed;

	(void)state;
	write_small();
	random_bytes(&dice, space, SPACE);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small.rlim_max = before.rlim_max;
	writer = begin();
	setrlimit(RLIMIT_FSIZE, &small);
	failed = file_write_memory(writer, (struct cape_stamp){1, 0}, START, space, SPACE, &error);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(failed, -EFBIG);
	assert_non_null(strstr(error.text, strerror(EFBIG)));
	assert_memory_equal(error.text, path, strlen(path));
	assert_int_equal(files_in_folder(), 2);
	assert_int_equal(file_writer_commit(writer, NULL, &error), -EFBIG);
	assert_int_equal(files_in_folder(), 1);
	assert_int_equal(look(), 0);
	file_writer_abort(begin());
	assert_int_equal(files_in_folder(), 1);
	assert_int_equal(look(), 0);
}

static void refuses_what_is_out_of_order(void **state)
{
	struct file_writer *writer;
	struct file_error error;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		static const struct cape_stamp stamp[] = {{1, 1}, {1, 0}, {0, 9}};
		uint64_t address = i ? START + 4096 : START + 99;

		writer = begin();
		assert_int_equal(file_write_memory(writer, (struct cape_stamp){1, 1}, START, space,
						   100, &error),
				 0);
		assert_int_equal(file_write_memory(writer, stamp[i], address, space, 10, &error),
				 -EINVAL);
		file_writer_abort(writer);
	}
}

static void tells_what_cannot_be_opened(void **state)
{
	static const struct {
		const char *path;
		int number;
	} cases[] = {{"/nowhere/c", ENOENT}, {"/dev/zero", EBADMSG}, {"/", EBADMSG}};
	struct file_reader *reader;
	struct file_writer *writer;
	struct file_error error;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(file_reader_open(&reader, cases[i].path, &error),
				 -cases[i].number);
		assert_null(reader);
	}
	assert_int_equal(file_writer_open(&writer, "/nowhere", "c", &head, &error), -ENOENT);
	assert_non_null(strstr(error.text, "/nowhere/c"));
	assert_int_equal(file_writer_open(&writer, folder, "a/b", &head, &error), -EINVAL);
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_what_was_written),
		cmocka_unit_test(keeps_names_head_and_operands),
		cmocka_unit_test(tells_every_truncation),
		cmocka_unit_test(tells_every_flipped_bit),
		cmocka_unit_test(survives_mutations),
		cmocka_unit_test(takes_little_more_than_changed),
		cmocka_unit_test(leaves_zeros_out_and_packs),
		cmocka_unit_test(leaves_the_old_file_when_it_fails),
		cmocka_unit_test(refuses_what_is_out_of_order),
		cmocka_unit_test(tells_what_cannot_be_opened),
	};

	random_start(&dice);
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/c", folder);
	return cmocka_run_group_tests(tests, NULL, remove_folder);
}

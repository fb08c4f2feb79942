// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chain.c - increments and what they go on from: together they are the memory that was written
 * last, and a file that is damaged or another's is named.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "file/chain.h"
#include "file/writer.h"
#include "file_seal.h"
#include "random.h"

#define START 0x10000ul
#define PAGE  4096ul
#define PAGES 64ul
#define SPACE (PAGES * PAGE)
#define FILES 6

static struct random dice;
static char folder[] = "/tmp/cape-test-chain-XXXXXX";
static char *paths[FILES];
static uint64_t identity[FILES];
/* What the newest file has of memory: bytes, and whether it is there. */
static unsigned char space[SPACE];
static bool is_there[PAGES];

/* Memory of page PAGE as file I has it; what changes is written, and some of what does not. */
static void put_page(struct file_writer *writer, unsigned i, uint64_t page, bool was_there)
{
	unsigned char *bytes = space + page * PAGE;
	bool changed = random_below(&dice, 4) == 0 || !was_there;
	struct file_error error;
	int failed;

	if (changed && random_below(&dice, 3) == 0)
		memset(bytes, 0, PAGE);
	else if (changed)
		random_bytes(&dice, bytes, PAGE);
	if (i && !changed && random_below(&dice, 8))
		failed = file_write_same(writer, (struct cape_stamp){0}, START + page * PAGE, PAGE,
					 &error);
	else
		failed = file_write_memory(writer, (struct cape_stamp){0}, START + page * PAGE,
					   bytes, PAGE, &error);
	assert_int_equal(failed, 0);
}

static void write_one(unsigned i)
{
	struct file_head head = {.kind = i ? FILE_INCREMENT : FILE_STATE,
				 .nodes = 1,
				 .page_size = PAGE,
				 .number = i + 1,
				 .previous = i ? identity[i - 1] : 0};
	struct file_writer *writer;
	struct file_error error;

	assert_int_equal(
		file_writer_open(&writer, folder, strrchr(paths[i], '/') + 1, &head, &error), 0);
	assert_int_equal(file_write_named(writer, "number", 0, &i, sizeof(i), &error), 0);
	for (uint64_t page = 0; page < PAGES; page++) {
		bool was_there = i && is_there[page];

		is_there[page] = random_below(&dice, 10) > 0;
		if (is_there[page])
			put_page(writer, i, page, was_there);
	}
	assert_int_equal(file_writer_commit(writer, &identity[i], &error), 0);
}

static void write_chain(unsigned files)
{
	for (unsigned i = 0; i < files; i++)
		write_one(i);
}

/* Reads all of the chain of FILES files; the first error, or 0 and what it has. */
static int read_chain(char *const *list, size_t files, unsigned char *image, bool *there,
		      struct file_error *error)
{
	struct file_chain *chain;
	struct file_piece piece;
	int failed = file_chain_open(&chain, list, files, error);

	if (failed)
		return failed;
	while (!(failed = file_chain_next(chain, &piece, error)) && piece.size) {
		uint64_t at = piece.address - START;

		if (at >= SPACE || piece.size > SPACE - at)
			continue;
		if (piece.bytes)
			memcpy(image + at, piece.bytes, piece.size);
		else
			memset(image + at, 0, piece.size);
		for (uint64_t page = at / PAGE; page < (at + piece.size) / PAGE; page++)
			there[page] = true;
	}
	file_chain_close(chain);
	return failed;
}

static void is_what_was_written_last(void **state)
{
	static unsigned char image[SPACE];
	struct file_error error;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		unsigned files = 1 + (unsigned)random_below(&dice, FILES);
		bool there[PAGES] = {0};

		write_chain(files);
		assert_int_equal(read_chain(paths, files, image, there, &error), 0);
		for (uint64_t page = 0; page < PAGES; page++) {
			assert_int_equal(there[page], is_there[page]);
			if (is_there[page])
				assert_memory_equal(image + page * PAGE, space + page * PAGE, PAGE);
		}
	}
}

static void begins_at_the_last_of_all_memory(void **state)
{
	char *list[] = {paths[FILES - 1], paths[0], paths[1], paths[2]};
	struct file_error error;
	struct file_chain *chain;
	const unsigned char *bytes;

	(void)state;
	write_chain(3);
	unlink(paths[FILES - 1]);
	assert_int_equal(file_chain_open(&chain, list, 4, &error), 0);
	assert_int_equal(file_read(file_chain_newest(chain), 0, &bytes, &error), 0);
	assert_int_equal(bytes[0], 2);
	file_chain_close(chain);
}

static void names_what_does_not_belong(void **state)
{
	static unsigned char image[SPACE];
	char *without_base[] = {paths[1], paths[2]}, *without_link[] = {paths[0], paths[2]};
	bool there[PAGES];
	struct file_error error;

	(void)state;
	write_chain(3);
	assert_int_equal(read_chain(without_base, 2, image, there, &error), -EBADMSG);
	assert_memory_equal(error.text, paths[1], strlen(paths[1]));
	assert_int_equal(read_chain(without_link, 2, image, there, &error), -EBADMSG);
	assert_memory_equal(error.text, paths[0], strlen(paths[0]));
	/* Another base of the same number. */
	write_one(0);
	assert_int_equal(read_chain(paths, 3, image, there, &error), -EBADMSG);
	assert_memory_equal(error.text, paths[0], strlen(paths[0]));
	unlink(paths[0]);
	assert_int_equal(read_chain(paths, 3, image, there, &error), -ENOENT);
}

static void refuses_what_was_not_before(void **state)
{
	struct file_head head = {.kind = FILE_STATE, .nodes = 1, .page_size = PAGE};
	static unsigned char image[SPACE];
	struct file_writer *writer;
	struct file_error error;
	bool there[PAGES];

	(void)state;
	assert_int_equal(file_writer_open(&writer, folder, "0", &head, &error), 0);
	assert_int_equal(file_write_same(writer, (struct cape_stamp){0}, START, PAGE, &error),
			 -EINVAL);
	file_writer_abort(writer);
	write_chain(1);
	head.kind = FILE_INCREMENT;
	head.previous = identity[0];
	assert_int_equal(file_writer_open(&writer, folder, "1", &head, &error), 0);
	assert_int_equal(
		file_write_same(writer, (struct cape_stamp){0}, START + SPACE, PAGE, &error), 0);
	assert_int_equal(file_writer_commit(writer, NULL, &error), 0);
	assert_int_equal(read_chain(paths, 2, image, there, &error), -EBADMSG);
	assert_memory_equal(error.text, paths[0], strlen(paths[0]));
}

static size_t load(const char *path, unsigned char *bytes, size_t room)
{
	int file = open(path, O_RDONLY);
	ssize_t size = read(file, bytes, room);

	assert_true(size > 0 && (size_t)size < room);
	close(file);
	return (size_t)size;
}

static void store(const char *path, const unsigned char *bytes, size_t size)
{
	int file = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);

	assert_int_equal(write(file, bytes, size), (ssize_t)size);
	close(file);
}

static void tells_flipped_bits_of_any_file(void **state)
{
	static unsigned char bytes[2 * SPACE], image[SPACE];
	bool there[PAGES];
	struct file_error error;

	(void)state;
	write_chain(3);
	for (unsigned i = 0; i < 300; i++) {
		const char *path = paths[i % 3];
		size_t size = load(path, bytes, sizeof(bytes));
		size_t bit = random_below(&dice, i % 2 ? 8 * size : 8 * 4096);

		bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
		store(path, bytes, size);
		/* A block that is written anew in each later file is not read. */
		if (read_chain(paths, 3, image, there, &error)) {
			assert_int_equal(error.number, EBADMSG);
			assert_memory_equal(error.text, path, strlen(path));
		} else {
			assert_true(bit / 8 > FILE_HEAD_SIZE && path != paths[2]);
		}
		bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
		store(path, bytes, size);
	}
	assert_int_equal(read_chain(paths, 3, image, there, &error), 0);
}

/* With right checksums the reader has only its own checks: sanitizers say whether they do. */
static void survives_mutations(void **state)
{
	static unsigned char bytes[2 * SPACE], changed[2 * SPACE], image[SPACE];
	unsigned cases = getenv("LONG") ? 10000 : 300;
	struct file_error error;
	bool there[PAGES];
	size_t size;

	(void)state;
	write_chain(2);
	size = load(paths[1], bytes, sizeof(bytes));
	for (unsigned i = 0; i < cases; i++) {
		int failed;

		memcpy(changed, bytes, size);
		for (uint64_t left = 1 + random_below(&dice, 4); left; left--)
			changed[random_below(&dice, random_below(&dice, 2) ? size : 400)] ^=
				(unsigned char)(1u << random_below(&dice, 8));
		file_seal(changed, size);
		store(paths[1], changed, size);
		failed = read_chain(paths, 2, image, there, &error);
		assert_true(failed == 0 || failed == -EBADMSG);
	}
}

static int make_folder(void **state)
{
	(void)state;
	random_start(&dice);
	if (!mkdtemp(folder))
		return -1;
	for (unsigned i = 0; i < FILES; i++)
		if (asprintf(&paths[i], "%s/%u", folder, i) < 0)
			return -1;
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FILES; i++) {
		unlink(paths[i]);
		free(paths[i]);
	}
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_what_was_written_last),
		cmocka_unit_test(begins_at_the_last_of_all_memory),
		cmocka_unit_test(names_what_does_not_belong),
		cmocka_unit_test(refuses_what_was_not_before),
		cmocka_unit_test(tells_flipped_bits_of_any_file),
		cmocka_unit_test(survives_mutations),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

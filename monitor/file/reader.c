// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader.c - reading a checkpoint from a file: head, headers, contents.
 */
#include "file/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include "file/layout.h"

/* Bytes after what is read that the disk is to have ready, and as many more from time to time. */
#define AHEAD (4 * FILE_BLOCK_LIMIT)

struct file_reader {
	int file;
	char *path;
	uint64_t size;
	uint64_t asked; /* the disk was asked for all up to here */
	struct file_head head;
	uint64_t identity;
	struct file_section *section;
	size_t sections, capacity;
	struct cape_buffer stored, contents; /* of the section read last */
	struct cape_runs runs;
	struct cape_buffer data;
};

#define damaged(reader, at, error, ...) FILE_ERROR(error, EBADMSG, (reader)->path, at, __VA_ARGS__)

static int no_memory(struct file_reader *reader, uint64_t at, struct file_error *error)
{
	return FILE_ERROR(error, ENOMEM, reader->path, at, "cannot read: %s", strerror(ENOMEM));
}

static int system_error(struct file_reader *reader, uint64_t at, const char *what,
			struct file_error *error)
{
	int number = errno > 0 ? errno : EIO;

	return FILE_ERROR(error, number, reader->path, at, "%s: %s", what, strerror(number));
}

/* The caller has compared with the size; still, another may have cut the file meanwhile. */
static int read_at(struct file_reader *reader, uint64_t offset, void *bytes, uint64_t size,
		   struct file_error *error)
{
	unsigned char *at = bytes;

	while (size) {
		ssize_t done = pread(reader->file, at, size, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return system_error(reader, offset, "cannot read", error);
		if (!done)
			return damaged(reader, offset, error, "the file ends here");
		at += done;
		offset += (uint64_t)done;
		size -= (uint64_t)done;
	}
	return 0;
}

/* The section at OFFSET is read next; whoever reads it need not read the one after it. */
static void read_ahead(struct file_reader *reader, uint64_t offset)
{
	if (offset + AHEAD <= reader->asked)
		return;
	if (reader->asked < offset)
		reader->asked = offset;
	posix_fadvise(reader->file, (off_t)reader->asked, (off_t)(2 * AHEAD), POSIX_FADV_WILLNEED);
	reader->asked += 2 * AHEAD;
}

static int read_head(struct file_reader *reader, uint64_t *seed, struct file_error *error)
{
	unsigned char bytes[FILE_HEAD_SIZE];
	uint64_t size = reader->size < sizeof(bytes) ? reader->size : sizeof(bytes);
	int failed = read_at(reader, 0, bytes, size, error);

	if (failed)
		return failed;
	if (size < 8 || file_get(bytes, 8) != FILE_MAGIC)
		return damaged(reader, 0, error, "this is not a checkpoint of CAPE");
	if (size < sizeof(bytes))
		return damaged(reader, size, error, "the file ends in its head");
	if (file_get(bytes + 8, 4) != FILE_VERSION)
		return damaged(reader, 8, error, "format version %llu; this CAPE reads version %d",
			       (unsigned long long)file_get(bytes + 8, 4), FILE_VERSION);
	*seed = file_sum(bytes, FILE_HEAD_SIZE - 8, 0);
	if (file_get(bytes + FILE_HEAD_SIZE - 8, 8) != *seed)
		return damaged(reader, 0, error, "the head does not match its checksum");
	if (file_get(bytes + 12, 4) != FILE_HEAD_SIZE)
		return damaged(reader, 12, error, "the head has %llu bytes, not %d",
			       (unsigned long long)file_get(bytes + 12, 4), FILE_HEAD_SIZE);
	if (file_get(bytes + 16, 8) & ~FILE_FEATURES)
		return damaged(reader, 16, error,
			       "the file needs features (%#llx) that this CAPE does not know",
			       (unsigned long long)(file_get(bytes + 16, 8) & ~FILE_FEATURES));
	if (!file_head_get(&reader->head, bytes))
		return damaged(reader, 32, error, "the head has a number that makes no sense");
	return 0;
}

static uint64_t limit_of(const struct file_section *section)
{
	switch (section->kind) {
	case FILE_MEMORY:
		return section->packing >= FILE_ZEROS ? UINT64_MAX : FILE_BLOCK_LIMIT;
	case FILE_RUNS: /* the table of single bytes is the longest: three bytes for each */
		return 4 * FILE_BLOCK_LIMIT;
	case FILE_OPERANDS:
	case FILE_NAMED:
		return FILE_CONTENTS_LIMIT;
	case FILE_END:
		return 0;
	}
	return 0;
}

/* NULL, or what is wrong with the sizes and the packing of SECTION, whose header is in the file. */
static const char *wrong_size(const struct file_reader *reader, const struct file_section *section)
{
	uint64_t left = reader->size - section->offset - FILE_HEADER_SIZE;

	if (section->kind < FILE_MEMORY || section->kind > FILE_END)
		return "a section has an unknown kind";
	if (section->stored > left)
		return "a section continues after the end of the file";
	if (section->size > limit_of(section))
		return "a section is larger than its kind may be";
	switch (section->packing) {
	case FILE_PLAIN:
		return section->stored == section->size ? NULL : "a section has two sizes";
	case FILE_ZSTD:
		return section->kind != FILE_END ? NULL : "the end is packed";
	case FILE_ZEROS:
		return section->kind == FILE_MEMORY && !section->stored
			       ? NULL
			       : "a section of zeros has contents";
	case FILE_SAME:
		if (reader->head.kind != FILE_INCREMENT || !reader->head.previous)
			return "memory is as in the file before, and there is none";
		return section->kind == FILE_MEMORY && !section->stored
			       ? NULL
			       : "a section that is as before has contents";
	}
	return "a section has an unknown packing";
}

/* NULL, or what is wrong with what SECTION is about, after BEFORE, the memory before it. */
static const char *wrong_subject(const struct file_section *section,
				 const struct file_section *before)
{
	int order;

	if (section->kind == FILE_NAMED && !section->name[0])
		return "a section has no name";
	if (!file_has_address(section))
		return NULL;
	if (!section->size)
		return "a section of memory is empty";
	if (section->kind == FILE_MEMORY && section->size > UINT64_MAX - section->address)
		return "memory continues after the last address";
	order = before ? cape_stamp_compare(before->stamp, section->stamp) : -1;
	if (order > 0 ||
	    (order == 0 &&
	     section->address < before->address + (before->kind == FILE_MEMORY ? before->size : 1)))
		return "memory is out of order";
	return NULL;
}

static int read_header(struct file_reader *reader, uint64_t offset, uint64_t *seed,
		       struct file_section *section, struct file_error *error)
{
	unsigned char bytes[FILE_HEADER_SIZE];
	uint64_t sum;
	int failed;

	if (reader->size - offset < sizeof(bytes))
		return damaged(reader, reader->size, error,
			       "the file ends before its last section");
	failed = read_at(reader, offset, bytes, sizeof(bytes), error);
	if (failed)
		return failed;
	sum = file_sum(bytes, FILE_HEADER_SIZE - 8, *seed);
	if (file_get(bytes + FILE_HEADER_SIZE - 8, 8) != sum)
		return damaged(reader, offset, error,
			       "a section's header does not match its checksum");
	*seed = sum;
	file_section_get(section, bytes);
	section->offset = offset;
	return file_get(bytes + 44, 4) ? damaged(reader, offset + 44, error,
						 "a section's header has a number "
						 "that makes no sense")
				       : 0;
}

static int add_section(struct file_reader *reader, const struct file_section *section,
		       struct file_error *error)
{
	if (cape_memory_grow(&cape_memory_heap, (void **)&reader->section, &reader->capacity,
			     reader->sections + 1, sizeof(*section)))
		return no_memory(reader, section->offset, error);
	reader->section[reader->sections++] = *section;
	return 0;
}

static int check_end(struct file_reader *reader, const struct file_section *end,
		     struct file_error *error)
{
	if (end->address != reader->sections)
		return damaged(reader, end->offset, error,
			       "%llu sections were written, %zu are here",
			       (unsigned long long)end->address, reader->sections);
	if (end->offset + FILE_HEADER_SIZE != reader->size)
		return damaged(reader, end->offset + FILE_HEADER_SIZE, error,
			       "there is something after the end");
	return 0;
}

static int read_headers(struct file_reader *reader, uint64_t seed, struct file_error *error)
{
	struct file_section section, before;
	uint64_t offset = FILE_HEAD_SIZE;
	bool any = false;

	for (;;) {
		int failed = read_header(reader, offset, &seed, &section, error);
		const char *wrong;

		if (failed)
			return failed;
		wrong = wrong_size(reader, &section);
		if (!wrong)
			wrong = wrong_subject(&section, any ? &before : NULL);
		if (wrong)
			return damaged(reader, offset, error, "%s", wrong);
		if (section.kind == FILE_END)
			break;
		failed = add_section(reader, &section, error);
		if (failed)
			return failed;
		if (file_has_address(&section)) {
			before = section;
			any = true;
		}
		offset += FILE_HEADER_SIZE + section.stored;
	}
	reader->identity = seed;
	return check_end(reader, &section, error);
}

/* A device or a pipe could keep whoever reads it for ever. */
static int open_file(struct file_reader *reader, struct file_error *error)
{
	struct stat status;

	reader->file = open(reader->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (reader->file < 0 || fstat(reader->file, &status))
		return system_error(reader, 0, "cannot open it", error);
	if (!S_ISREG(status.st_mode))
		return damaged(reader, 0, error, "this is not a regular file");
	reader->size = (uint64_t)status.st_size;
	return 0;
}

bool file_is_checkpoint(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	unsigned char bytes[8];
	bool is = file >= 0 && read(file, bytes, sizeof(bytes)) == sizeof(bytes) &&
		  file_get(bytes, sizeof(bytes)) == FILE_MAGIC;

	if (file >= 0)
		close(file);
	return is;
}

bool file_read_head(const char *path, struct file_head *head)
{
	struct file_reader reader = {.file = -1, .path = (char *)path};
	struct file_error error;
	uint64_t seed;
	bool good = open_file(&reader, &error) == 0 && read_head(&reader, &seed, &error) == 0;

	if (reader.file >= 0)
		close(reader.file);
	*head = reader.head;
	return good;
}

int file_reader_open(struct file_reader **made, const char *path, struct file_error *error)
{
	struct file_reader *reader = calloc(1, sizeof(*reader));
	uint64_t seed = 0;
	int failed;

	*made = NULL;
	if (!reader)
		return FILE_ERROR(error, ENOMEM, path, 0, "cannot open it: %s", strerror(ENOMEM));
	reader->file = -1;
	cape_buffer_init(&reader->stored, &cape_memory_heap);
	cape_buffer_init(&reader->contents, &cape_memory_heap);
	cape_buffer_init(&reader->data, &cape_memory_heap);
	cape_runs_init(&reader->runs, &cape_memory_heap);
	reader->path = strdup(path);
	failed = reader->path ? open_file(reader, error)
			      : FILE_ERROR(error, ENOMEM, path, 0, "cannot open it: %s",
					   strerror(ENOMEM));
	if (!failed)
		failed = read_head(reader, &seed, error);
	if (!failed)
		failed = read_headers(reader, seed, error);
	if (failed)
		file_reader_close(reader);
	else
		*made = reader;
	return failed;
}

void file_reader_close(struct file_reader *reader)
{
	if (!reader)
		return;
	if (reader->file >= 0)
		close(reader->file);
	cape_buffer_free(&reader->stored);
	cape_buffer_free(&reader->contents);
	cape_buffer_free(&reader->data);
	cape_runs_free(&reader->runs);
	free(reader->section);
	free(reader->path);
	free(reader);
}

const char *file_reader_path(const struct file_reader *reader)
{
	return reader->path;
}

const struct file_head *file_reader_head(const struct file_reader *reader)
{
	return &reader->head;
}

uint64_t file_reader_size(const struct file_reader *reader)
{
	return reader->size;
}

uint64_t file_reader_identity(const struct file_reader *reader)
{
	return reader->identity;
}

size_t file_reader_sections(const struct file_reader *reader)
{
	return reader->sections;
}

const struct file_section *file_reader_section(const struct file_reader *reader, size_t i)
{
	return &reader->section[i];
}

size_t file_reader_find(const struct file_reader *reader, const char *name, uint32_t number)
{
	size_t i = 0;

	while (i < reader->sections &&
	       (reader->section[i].kind != FILE_NAMED || reader->section[i].number != number ||
		strcmp(reader->section[i].name, name) != 0))
		i++;
	return i;
}

bool file_reader_has(const struct file_reader *reader, const char *name)
{
	return file_reader_find(reader, name, 0) < reader->sections;
}

bool file_is_zeros(const struct file_reader *reader, size_t i)
{
	return reader->section[i].packing == FILE_ZEROS;
}

bool file_is_same(const struct file_reader *reader, size_t i)
{
	return reader->section[i].packing == FILE_SAME;
}

static int unpack(struct file_reader *reader, const struct file_section *section,
		  struct file_error *error)
{
	size_t size;

	reader->contents.size = 0;
	if (!cape_buffer_extend(&reader->contents, section->size))
		return no_memory(reader, section->offset, error);
	size = ZSTD_decompress(reader->contents.bytes, section->size, reader->stored.bytes,
			       section->stored);
	if (ZSTD_isError(size) || size != section->size)
		return damaged(reader, section->offset, error, "a section cannot be unpacked: %s",
			       ZSTD_isError(size) ? ZSTD_getErrorName(size) : "its size differs");
	return 0;
}

int file_read(struct file_reader *reader, size_t i, const unsigned char **bytes,
	      struct file_error *error)
{
	const struct file_section *section = &reader->section[i];
	unsigned char sum[8];
	int failed;

	if (section->packing >= FILE_ZEROS)
		return FILE_ERROR(error, EINVAL, reader->path, section->offset,
				  "zeros, and what is as before, are not stored");
	reader->stored.size = 0;
	if (!cape_buffer_extend(&reader->stored, section->stored))
		return no_memory(reader, section->offset, error);
	if (section->kind == FILE_MEMORY)
		read_ahead(reader, section->offset);
	failed = read_at(reader, section->offset + 48, sum, sizeof(sum), error);
	if (!failed)
		failed = read_at(reader, section->offset + FILE_HEADER_SIZE, reader->stored.bytes,
				 section->stored, error);
	if (failed)
		return failed;
	if (file_sum(reader->stored.bytes, section->stored, 0) != file_get(sum, 8))
		return damaged(reader, section->offset + FILE_HEADER_SIZE, error,
			       "a section's contents do not match their checksum");
	if (section->packing == FILE_ZSTD)
		failed = unpack(reader, section, error);
	*bytes = section->packing == FILE_ZSTD ? reader->contents.bytes : reader->stored.bytes;
	return failed;
}

const unsigned char *file_read_named(struct file_reader *reader, const char *name, uint64_t *size,
				     struct file_error *error)
{
	size_t i = file_reader_find(reader, name, 0);
	const unsigned char *bytes;

	*error = (struct file_error){.number = 0};
	*size = 0;
	if (i == reader->sections || file_read(reader, i, &bytes, error) < 0)
		return NULL;
	*size = reader->section[i].size;
	return bytes ? bytes : (const unsigned char *)"";
}

/* Runs begin where their header says, and end before the next memory of their time-stamp. */
static bool runs_fit(const struct file_reader *reader, size_t i)
{
	const struct file_section *section = &reader->section[i], *next = section + 1;
	const struct file_section *end = reader->section + reader->sections;

	if (!reader->runs.count || reader->runs.run[0].address != section->address)
		return false;
	while (next < end && !file_has_address(next))
		next++;
	return next == end || cape_stamp_compare(next->stamp, section->stamp) != 0 ||
	       cape_runs_end(&reader->runs) <= next->address;
}

int file_read_runs(struct file_reader *reader, size_t i, const struct cape_runs **runs,
		   const unsigned char **bytes, struct file_error *error)
{
	const struct file_section *section = &reader->section[i];
	struct cape_format format = file_runs_format(&reader->head);
	const unsigned char *encoded;
	int failed = file_read(reader, i, &encoded, error);

	if (failed)
		return failed;
	cape_runs_clear(&reader->runs);
	reader->data.size = 0;
	failed = cape_decode(&format, encoded, section->size, &reader->runs, &reader->data);
	if (failed == -ENOMEM)
		return no_memory(reader, section->offset, error);
	if (failed || reader->data.size > FILE_BLOCK_LIMIT || !runs_fit(reader, i))
		return damaged(reader, section->offset, error, "changed memory is malformed");
	*runs = &reader->runs;
	*bytes = reader->data.bytes;
	return 0;
}

/* The operand at AT; false: it is malformed, or its values go on after END. */
static bool get_operand(const unsigned char *at, const unsigned char *end,
			struct cape_operand *operand)
{
	if (end - at < FILE_OPERAND_SIZE || file_get(at + 36, 4))
		return false;
	*operand = (struct cape_operand){
		.address = file_get(at, 8),
		.count = file_get(at + 8, 8),
		.op = (enum cape_operator)file_get(at + 16, 4),
		.type = (enum cape_type)file_get(at + 20, 4),
		.stamp = {file_get(at + 24, 8), (uint32_t)file_get(at + 32, 4)},
	};
	return cape_operand_size(operand) &&
	       cape_operand_size(operand) <= (size_t)(end - at) - FILE_OPERAND_SIZE;
}

int file_read_operands(struct file_reader *reader, size_t i, struct cape_checkpoint *checkpoint,
		       struct file_error *error)
{
	const struct file_section *section = &reader->section[i];
	const unsigned char *at, *end;
	int failed = file_read(reader, i, &at, error);

	if (failed)
		return failed;
	for (end = at + section->size; at < end && !failed;) {
		struct cape_operand operand;

		if (!get_operand(at, end, &operand))
			return damaged(reader, section->offset, error, "an operand is malformed");
		at += FILE_OPERAND_SIZE;
		failed = cape_checkpoint_append_operand(checkpoint, operand, at);
		at += cape_operand_size(&operand);
	}
	if (failed == -ENOMEM)
		return no_memory(reader, section->offset, error);
	return failed ? damaged(reader, section->offset, error, "operands are out of order") : 0;
}

static int verify_operands(struct file_reader *reader, size_t i, struct file_error *error)
{
	struct cape_checkpoint checkpoint;
	int failed;

	cape_checkpoint_init(&checkpoint, &cape_memory_heap);
	failed = file_read_operands(reader, i, &checkpoint, error);
	cape_checkpoint_free(&checkpoint);
	return failed;
}

int file_verify(struct file_reader *reader, struct file_error *error)
{
	const struct cape_runs *runs;
	const unsigned char *bytes;
	int failed = 0;

	for (size_t i = 0; i < reader->sections && !failed; i++) {
		if (file_is_zeros(reader, i) || file_is_same(reader, i))
			continue;
		if (reader->section[i].kind == FILE_RUNS)
			failed = file_read_runs(reader, i, &runs, &bytes, error);
		else if (reader->section[i].kind == FILE_OPERANDS)
			failed = verify_operands(reader, i, error);
		else
			failed = file_read(reader, i, &bytes, error);
	}
	return failed;
}

int file_reader_open_sound(struct file_reader **made, const char *path, struct file_error *error)
{
	int failed = file_reader_open(made, path, error);

	if (!failed)
		failed = file_verify(*made, error);
	if (failed) {
		file_reader_close(*made);
		*made = NULL;
	}
	return failed;
}

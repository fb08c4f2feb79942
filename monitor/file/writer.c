// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * writer.c - writing a checkpoint to a file: sections, packing, and the name at the end.
 */
#include "file/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>
#include "checkpoint/diff.h"
#include "file/layout.h"
#include "file/partial.h"

/* Zeros are left out in stretches of at least so many bytes, a divisor of FILE_BLOCK. */
#define ZEROS_LEAST 4096ul
/* What shrinks by less than an eighth is not worth the time to unpack it. */
#define SAMPLE_SIZE 8192ul
#define LEVEL	    1

struct file_writer {
	struct file_partial to;
	struct file_head head;
	uint64_t offset;   /* bytes written */
	uint64_t seed;	   /* checksum of the header before */
	uint64_t sections; /* before this one */
	uint64_t waiting;  /* bytes in front of END of which nothing is stored, not yet written */
	enum file_packing waiting_as; /* ZEROS or SAME */
	struct cape_stamp stamp;
	uint64_t end;	 /* of memory written with STAMP */
	bool has_memory; /* STAMP and END count */
	int failed;	 /* errno */
	ZSTD_CCtx *zstd;
	void *packed; /* of packed_size bytes */
	size_t packed_size;
	struct cape_buffer runs;
};

static int fail(struct file_writer *writer, int number, struct file_error *error, const char *what)
{
	if (!writer->failed)
		writer->failed = number;
	return FILE_ERROR(error, number, writer->to.path, writer->offset, "%s: %s", what,
			  strerror(number));
}

static void writer_free(struct file_writer *writer)
{
	ZSTD_freeCCtx(writer->zstd);
	cape_buffer_free(&writer->runs);
	free(writer->packed);
	free(writer);
}

/* All of it, however often the kernel takes a part only. */
static int write_all(struct file_writer *writer, const unsigned char *header, const void *bytes,
		     uint64_t size, struct file_error *error)
{
	struct iovec part[] = {{(void *)header, FILE_HEADER_SIZE}, {(void *)bytes, size}};
	unsigned next = 0;

	while (next < 2) {
		ssize_t done = writev(writer->to.file, part + next, 2 - (int)next);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return fail(writer, errno, error, "cannot write");
		writer->offset += (uint64_t)done;
		for (; next < 2 && (size_t)done >= part[next].iov_len; next++)
			done -= (ssize_t)part[next].iov_len;
		if (next < 2) {
			part[next].iov_base = (char *)part[next].iov_base + done;
			part[next].iov_len -= (size_t)done;
		}
	}
	return 0;
}

/* Writes a section whose contents are stored as they are at BYTES. */
static int put_section(struct file_writer *writer, const struct file_section *section,
		       const void *bytes, struct file_error *error)
{
	unsigned char header[FILE_HEADER_SIZE];

	writer->seed = file_section_put(section, file_sum(bytes, section->stored, 0), writer->seed,
					header);
	writer->sections++;
	return write_all(writer, header, bytes, section->stored, error);
}

static size_t pack_to(struct file_writer *writer, const void *bytes, uint64_t size)
{
	size_t packed = ZSTD_compressCCtx(writer->zstd, writer->packed, writer->packed_size, bytes,
					  size, LEVEL);

	return ZSTD_isError(packed) ? SIZE_MAX : packed;
}

/* The packed size of SIZE bytes, which are then at writer->packed; 0: they do not shrink. */
static size_t pack(struct file_writer *writer, const unsigned char *bytes, uint64_t size)
{
	size_t room = ZSTD_compressBound(size), packed;

	if (size < 64)
		return 0;
	if (writer->packed_size < room) {
		free(writer->packed);
		writer->packed = malloc(room);
		writer->packed_size = writer->packed ? room : 0;
	}
	if (!writer->packed)
		return 0;
	if (size > 2 * SAMPLE_SIZE &&
	    pack_to(writer, bytes + size / 2, SAMPLE_SIZE) > SAMPLE_SIZE / 8 * 7)
		return 0;
	packed = pack_to(writer, bytes, size);
	return packed < size / 8 * 7 ? packed : 0;
}

static int put_packed(struct file_writer *writer, struct file_section *section, const void *bytes,
		      struct file_error *error)
{
	size_t packed = pack(writer, bytes, section->size);

	section->packing = packed ? FILE_ZSTD : FILE_PLAIN;
	section->stored = packed ? packed : section->size;
	return put_section(writer, section, packed ? writer->packed : bytes, error);
}

static int put_waiting(struct file_writer *writer, struct file_error *error)
{
	struct file_section section = {.kind = FILE_MEMORY, .packing = writer->waiting_as};

	if (!writer->waiting)
		return 0;
	section.address = writer->end - writer->waiting;
	section.stamp = writer->stamp;
	section.size = writer->waiting;
	writer->waiting = 0;
	return put_section(writer, &section, "", error);
}

/* Notes that memory from ADDRESS on comes now, which it may; ZEROS and SAME wait for more of them.
 */
static int follow(struct file_writer *writer, struct cape_stamp stamp, uint64_t address,
		  uint64_t size, enum file_packing as, struct file_error *error)
{
	int order = writer->has_memory ? cape_stamp_compare(writer->stamp, stamp) : -1, failed = 0;

	if (order > 0 || (order == 0 && address < writer->end) || size > UINT64_MAX - address)
		return fail(writer, EINVAL, error, "memory is added out of order");
	if (as != writer->waiting_as || order < 0 || address != writer->end)
		failed = put_waiting(writer, error);
	writer->waiting_as = as;
	writer->has_memory = true;
	writer->stamp = stamp;
	writer->end = address + size;
	if (as >= FILE_ZEROS && !failed)
		writer->waiting += size;
	return failed;
}

/* Bytes from AT on, of a block at most, that are all zeros, or (*ZEROS false) have none to skip. */
static uint64_t stretch(const unsigned char *at, uint64_t size, bool *zeros)
{
	uint64_t length = 0;

	for (uint64_t next; length < size && length < FILE_BLOCK; length += next) {
		bool zero;

		next = size - length < ZEROS_LEAST ? size - length : ZEROS_LEAST;
		zero = cape_is_zero(at + length, next);
		if (!length)
			*zeros = zero;
		else if (zero != *zeros)
			break;
	}
	return length;
}

static int put_block(struct file_writer *writer, const unsigned char *bytes, uint64_t size,
		     struct file_error *error)
{
	struct file_section section = {
		.kind = FILE_MEMORY,
		.address = writer->end - size,
		.stamp = writer->stamp,
		.size = size,
	};

	return put_packed(writer, &section, bytes, error);
}

int file_write_memory(struct file_writer *writer, struct cape_stamp stamp, uint64_t address,
		      const void *bytes, uint64_t size, struct file_error *error)
{
	const unsigned char *at = bytes;
	int failed = writer->failed ? fail(writer, writer->failed, error, "cannot write") : 0;

	while (size && !failed) {
		bool zeros;
		uint64_t length = stretch(at, size, &zeros);

		failed = follow(writer, stamp, address, length, zeros ? FILE_ZEROS : FILE_PLAIN,
				error);
		if (!failed && !zeros)
			failed = put_block(writer, at, length, error);
		at += length;
		address += length;
		size -= length;
	}
	return failed;
}

int file_write_zeros(struct file_writer *writer, struct cape_stamp stamp, uint64_t address,
		     uint64_t size, struct file_error *error)
{
	if (writer->failed)
		return fail(writer, writer->failed, error, "cannot write");
	return size ? follow(writer, stamp, address, size, FILE_ZEROS, error) : 0;
}

int file_write_same(struct file_writer *writer, struct cape_stamp stamp, uint64_t address,
		    uint64_t size, struct file_error *error)
{
	if (writer->failed)
		return fail(writer, writer->failed, error, "cannot write");
	if (!size)
		return 0;
	if (writer->head.kind != FILE_INCREMENT || !writer->head.previous)
		return fail(writer, EINVAL, error, "there is no file before");
	return follow(writer, stamp, address, size, FILE_SAME, error);
}

/* Writes PART, runs of at most a block. */
static int put_runs(struct file_writer *writer, struct cape_stamp stamp,
		    const struct cape_runs *part, const struct cape_reader *memory,
		    struct file_error *error)
{
	struct cape_format format = file_runs_format(&writer->head);
	struct file_section section = {.kind = FILE_RUNS, .stamp = stamp};
	int failed;

	if (!part->count)
		return 0;
	section.address = part->run[0].address;
	failed = follow(writer, stamp, section.address, cape_runs_end(part) - section.address,
			FILE_PLAIN, error);
	if (failed)
		return failed;
	writer->runs.size = 0;
	failed = cape_encode(&format, part, memory, &writer->runs);
	if (failed)
		return fail(writer, -failed, error, "cannot read the changed memory");
	section.size = writer->runs.size;
	return put_packed(writer, &section, writer->runs.bytes, error);
}

int file_write_runs(struct file_writer *writer, struct cape_stamp stamp,
		    const struct cape_runs *runs, const struct cape_reader *memory,
		    struct file_error *error)
{
	struct cape_runs part;
	int failed = writer->failed ? fail(writer, writer->failed, error, "cannot write") : 0;

	cape_runs_init(&part, &cape_memory_heap);
	for (size_t i = 0; i < runs->count && !failed; i++) {
		struct cape_run left = runs->run[i];

		while (left.length && !failed) {
			uint64_t length = FILE_BLOCK - part.bytes;

			if (length > left.length)
				length = left.length;
			if (cape_runs_add(&part, left.address, length))
				failed = fail(writer, ENOMEM, error, "cannot record what changed");
			left.address += length;
			left.length -= length;
			if (failed || part.bytes < FILE_BLOCK)
				continue;
			failed = put_runs(writer, stamp, &part, memory, error);
			cape_runs_clear(&part);
		}
	}
	if (!failed)
		failed = put_runs(writer, stamp, &part, memory, error);
	cape_runs_free(&part);
	return failed;
}

/* What is waiting comes first; then contents of any size. */
static int put_contents(struct file_writer *writer, struct file_section *section, const void *bytes,
			struct file_error *error)
{
	int failed = writer->failed ? fail(writer, writer->failed, error, "cannot write") : 0;

	if (!failed && section->size > FILE_CONTENTS_LIMIT)
		failed = fail(writer, EFBIG, error, "a section is too large");
	if (!failed)
		failed = put_waiting(writer, error);
	return failed ? failed : put_packed(writer, section, bytes, error);
}

int file_write_named(struct file_writer *writer, const char *name, uint32_t number,
		     const void *bytes, uint64_t size, struct file_error *error)
{
	struct file_section section = {.kind = FILE_NAMED, .number = number, .size = size};

	if (!*name || strlen(name) >= FILE_NAME_SIZE)
		return fail(writer, EINVAL, error, "a section's name is empty or too long");
	memcpy(section.name, name, strlen(name));
	return put_contents(writer, &section, size ? bytes : "", error);
}

int file_write_operands(struct file_writer *writer, const struct cape_checkpoint *checkpoint,
			struct file_error *error)
{
	struct file_section section = {.kind = FILE_OPERANDS};
	const unsigned char *values = checkpoint->values.bytes;
	struct cape_buffer bytes;
	int failed = 0;

	if (!checkpoint->operands)
		return 0;
	cape_buffer_init(&bytes, &cape_memory_heap);
	for (size_t i = 0; i < checkpoint->operands && !failed; i++) {
		const struct cape_operand *operand = &checkpoint->operand[i];
		size_t size = cape_operand_size(operand);
		unsigned char *at = cape_buffer_extend(&bytes, FILE_OPERAND_SIZE);

		failed = at ? 0 : -ENOMEM;
		if (failed)
			break;
		file_put(at, operand->address, 8);
		file_put(at + 8, operand->count, 8);
		file_put(at + 16, operand->op, 4);
		file_put(at + 20, operand->type, 4);
		file_put(at + 24, operand->stamp.time, 8);
		file_put(at + 32, operand->stamp.node, 8);
		failed = cape_buffer_append(&bytes, values, size);
		values += size;
	}
	section.size = bytes.size;
	if (failed)
		failed = fail(writer, -failed, error, "cannot write the operands");
	else
		failed = put_contents(writer, &section, bytes.bytes, error);
	cape_buffer_free(&bytes);
	return failed;
}

uint64_t file_writer_size(const struct file_writer *writer)
{
	return writer->offset;
}

static struct file_writer *writer_new(void)
{
	struct file_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	cape_buffer_init(&writer->runs, &cape_memory_heap);
	writer->zstd = ZSTD_createCCtx();
	if (writer->zstd)
		return writer;
	writer_free(writer);
	return NULL;
}

static int put_head(struct file_writer *writer)
{
	unsigned char bytes[FILE_HEAD_SIZE];
	ssize_t done;

	writer->seed = file_head_put(&writer->head, bytes);
	done = write(writer->to.file, bytes, sizeof(bytes));
	if (done < 0)
		return -errno;
	writer->offset = sizeof(bytes);
	return done == sizeof(bytes) ? 0 : -ENOSPC;
}

int file_writer_open(struct file_writer **made, const char *folder, const char *name,
		     const struct file_head *head, struct file_error *error)
{
	struct file_writer *writer = writer_new();
	int failed;

	*made = NULL;
	if (!writer)
		return FILE_ERROR(error, ENOMEM, folder, 0, "cannot write a checkpoint: %s",
				  strerror(ENOMEM));
	writer->head = *head;
	failed = file_partial_open(&writer->to, folder, name, error);
	if (failed) {
		writer_free(writer);
		return failed;
	}
	failed = put_head(writer);
	if (failed) {
		fail(writer, -failed, error, "cannot write");
		file_writer_abort(writer);
		return failed;
	}
	*made = writer;
	return 0;
}

static int put_end(struct file_writer *writer, struct file_error *error)
{
	struct file_section section = {.kind = FILE_END};
	int failed = writer->failed ? fail(writer, writer->failed, error, "cannot write") : 0;

	if (!failed)
		failed = put_waiting(writer, error);
	section.address = writer->sections;
	return failed ? failed : put_section(writer, &section, "", error);
}

int file_writer_commit(struct file_writer *writer, uint64_t *identity, struct file_error *error)
{
	int failed = put_end(writer, error);

	if (failed) {
		file_writer_abort(writer);
		return failed;
	}
	failed = file_partial_commit(&writer->to, error);
	if (identity)
		*identity = writer->seed;
	writer_free(writer);
	return failed;
}

void file_writer_abort(struct file_writer *writer)
{
	if (!writer)
		return;
	file_partial_abort(&writer->to);
	writer_free(writer);
}

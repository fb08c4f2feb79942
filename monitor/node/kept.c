// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kept.c - --save-checkpoints: each checkpoint becomes a file as it is sent.
 */
#include "kept.h"

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "checkpoint/exact.h"
#include "common/complain.h"
#include "file/writer.h"
#include "message/message.h"
#include "message/reduction_element.h"
#include "paper/merge.h"
#include "wire/areas.h"

#define PAGE_SIZE 4096

/* A message, which the program wrote, and may have written anything to. */
struct message {
	const struct cape_message *header;
	const unsigned char *section[CAPE_SECTIONS_COUNT];
};

static bool find_sections(const struct node *node, struct message *message)
{
	const unsigned char *at = areas_out(node->channel);
	uint64_t left = node->channel->out_size;

	if (left < sizeof(*message->header))
		return false;
	message->header = (const struct cape_message *)at;
	at += sizeof(*message->header);
	left -= sizeof(*message->header);
	for (int i = 0; i < CAPE_SECTIONS_COUNT; i++) {
		uint64_t size = message->header->size[i];

		if (size > left || cape_message_padded(size) > left)
			return false;
		message->section[i] = at;
		at += cape_message_padded(size);
		left -= cape_message_padded(size);
	}
	return true;
}

/* The changed bytes, as runs and one after the other. */
struct changes {
	struct cape_runs runs;
	struct cape_buffer data;
	/* Where reading has come to: what lies before is not asked for again. */
	size_t next;
	uint64_t passed;
};

static int add_change(struct changes *changes, uint64_t address, const void *bytes, uint64_t length)
{
	int error = cape_runs_add(&changes->runs, address, length);

	return error ? error : cape_buffer_append(&changes->data, bytes, length);
}

/* Bytes that the mask leaves out did not change. */
static int add_exact_run(struct changes *changes, const struct cape_exact_run *run)
{
	int error = 0;

	if (!run->mask)
		return add_change(changes, run->address, run->data, run->length);
	for (uint64_t i = 0; i < run->length && !error; i++)
		if (run->mask[i / 8] >> i % 8 & 1)
			error = add_change(changes, run->address + i, run->data + i, 1);
	return error;
}

static int add_exact(struct changes *changes, const struct message *message)
{
	struct cape_exact_cursor cursor;
	struct cape_exact_run run;
	int more = 0;

	cape_exact_open(&cursor, message->section[CAPE_SECTION_EXACT],
			message->header->size[CAPE_SECTION_EXACT]);
	while (!more && (more = cape_exact_next(&cursor, &run)) > 0)
		more = add_exact_run(changes, &run);
	return more;
}

/* The writer asks for the runs in their order, for each as a whole or in parts. */
static int read_changes(void *context, uint64_t address, void *bytes, size_t length)
{
	struct changes *changes = context;
	const struct cape_run *run = &changes->runs.run[changes->next];

	while (run->address + run->length <= address) {
		changes->passed += run->length;
		changes->next++;
		run++;
	}
	memcpy(bytes, changes->data.bytes + changes->passed + (address - run->address), length);
	return 0;
}

/* Those with a function of the program's own are no operands. */
static int add_operands(struct cape_checkpoint *operands, const struct message *message,
			struct cape_stamp stamp)
{
	const unsigned char *at = message->section[CAPE_SECTION_REDUCTION];
	uint64_t left = message->header->size[CAPE_SECTION_REDUCTION];
	int error = 0;

	while (left && !error) {
		struct cape_reduction_element element;
		struct cape_operand operand;
		uint64_t length;

		if (left < sizeof(element))
			return -EBADMSG;
		memcpy(&element, at, sizeof(element));
		at += sizeof(element);
		left -= sizeof(element);
		if (__builtin_mul_overflow(element.count, element.size, &length) || length > left ||
		    cape_message_padded(length) > left)
			return -EBADMSG;
		operand = (struct cape_operand){.address = element.address,
						.count = element.count,
						.op = (enum cape_operator)element.op,
						.type = (enum cape_type)element.type,
						.stamp = stamp};
		if (!element.combine)
			error = cape_operand_size(&operand) == length
					? cape_checkpoint_add_operand(operands, operand, at)
					: -EBADMSG;
		at += cape_message_padded(length);
		left -= cape_message_padded(length);
	}
	return error;
}

static int write_changes(struct file_writer *writer, const struct message *message,
			 struct cape_stamp stamp, struct file_error *error)
{
	struct changes changes = {.next = 0};
	struct cape_reader reader = {&changes, read_changes};
	struct cape_checkpoint operands;
	int failed;

	cape_runs_init(&changes.runs, &cape_memory_heap);
	cape_buffer_init(&changes.data, &cape_memory_heap);
	cape_checkpoint_init(&operands, &cape_memory_heap);
	failed = add_exact(&changes, message);
	if (!failed)
		failed = add_operands(&operands, message, stamp);
	if (failed)
		snprintf(error->text, sizeof(error->text), "node %u: its checkpoint: %s",
			 stamp.node, strerror(-failed));
	if (!failed)
		failed = file_write_runs(writer, stamp, &changes.runs, &reader, error);
	if (!failed)
		failed = file_write_operands(writer, &operands, error);
	cape_runs_free(&changes.runs);
	cape_buffer_free(&changes.data);
	cape_checkpoint_free(&operands);
	return failed;
}

static int write_sections(struct file_writer *writer, const struct node *node,
			  const struct message *message, struct file_error *error)
{
	const struct cape_message *header = message->header;
	const char *program = node->options.source ? node->options.source : node->options.program;
	uint64_t bias = htole64(node->channel->load_bias), hash = htole64(node->program_hash);
	uint64_t storage = htole64(node->channel->thread_storage);
	char absolute[PATH_MAX];
	char place[80];
	int failed;

	snprintf(place, sizeof(place), "%.47s:%d", header->file, header->line);
	/* With --copy it may be on another machine alone. */
	if (realpath(program, absolute))
		program = absolute;
	failed = file_write_named(writer, FILE_PROGRAM, 0, program, strlen(program), error);
	if (!failed)
		failed = file_write_named(writer, FILE_HASH, 0, &hash, sizeof(hash), error);
	if (!failed)
		failed = file_write_named(writer, FILE_LOAD_BIAS, 0, &bias, sizeof(bias), error);
	if (!failed)
		failed = file_write_named(writer, FILE_THREAD_STORAGE, 0, &storage, sizeof(storage),
					  error);
	if (!failed)
		failed = file_write_named(writer, FILE_PLACE, 0, place, strlen(place), error);
	if (!failed && header->size[CAPE_SECTION_REGISTERS])
		failed = file_write_named(writer, FILE_REGISTERS, 0,
					  message->section[CAPE_SECTION_REGISTERS],
					  header->size[CAPE_SECTION_REGISTERS], error);
	return failed;
}

/* Later than all that was sent before, and among nodes as the sync point has it. */
static uint64_t time_of(const struct cape_message *header)
{
	uint64_t most = (1ull << 40) - 1;

	return (header->sequence << 40) + (header->time_stamp < most ? header->time_stamp : most);
}

static int write_file(const struct node *node, const struct message *message,
		      struct file_error *error)
{
	const struct cape_message *header = message->header;
	struct file_head head = {
		.kind = FILE_SYNC_POINT,
		.node = (uint32_t)node->rank,
		.nodes = (uint32_t)node->size,
		.page_size = PAGE_SIZE,
		.time = time_of(header),
		.number = header->sequence,
	};
	struct cape_stamp stamp = {head.time, head.node};
	struct file_writer *writer;
	char name[64];
	int failed;

	snprintf(name, sizeof(name), "%06llu-node%d.ckpt", (unsigned long long)header->sequence,
		 node->rank);
	failed = file_writer_open(&writer, node->options.kept, name, &head, error);
	if (failed)
		return failed;
	failed = write_sections(writer, node, message, error);
	if (!failed)
		failed = write_changes(writer, message, stamp, error);
	if (!failed)
		return file_writer_commit(writer, NULL, error);
	file_writer_abort(writer);
	return failed;
}

void kept_add(struct node *node)
{
	struct message message;
	struct file_error error;

	if (!node->options.kept || !find_sections(node, &message) ||
	    (message.header->kind != CAPE_SYNC_BARRIER &&
	     message.header->kind != CAPE_SYNC_MEETING && message.header->kind != CAPE_SYNC_END))
		return;
	mkdir(node->options.kept, 0700); /* on another machine */
	if (!write_file(node, &message, &error))
		return;
	complain("node %d: no more checkpoints are saved: %s", node->rank, error.text);
	node->options.kept = NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * info.c - info: what a file holds, without reading all of it; verify: reading all of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include "command.h"
#include "common/json.h"
#include "content.h"
#include "print.h"

struct sums {
	uint64_t memory, zeros, same, changed; /* bytes; CHANGED: of the runs' encoding */
	size_t blocks, runs, named;
};

static struct sums add_up(const struct file_reader *reader)
{
	struct sums sums = {.memory = 0};

	for (size_t i = 0; i < file_reader_sections(reader); i++) {
		const struct file_section *section = file_reader_section(reader, i);

		if (section->kind == FILE_MEMORY && file_is_zeros(reader, i)) {
			sums.zeros += section->size;
		} else if (section->kind == FILE_MEMORY && file_is_same(reader, i)) {
			sums.same += section->size;
		} else if (section->kind == FILE_MEMORY) {
			sums.memory += section->size;
			sums.blocks++;
		} else if (section->kind == FILE_RUNS) {
			sums.changed += section->size;
			sums.runs++;
		} else if (section->kind == FILE_NAMED) {
			sums.named++;
		}
	}
	return sums;
}

static const char *kind_of(const struct file_head *head)
{
	switch (head->kind) {
	case FILE_STATE:
		return "state";
	case FILE_INCREMENT:
		return "increment";
	case FILE_SYNC_POINT:
		return "sync-point";
	}
	return "";
}

/* The text of section NAME, of at most 255 bytes; empty: there is none.  False: a message was
 * printed. */
static bool text_of(struct file_reader *reader, const char *name, char text[256])
{
	struct file_error error;
	uint64_t size;
	const unsigned char *bytes = file_read_named(reader, name, &size, &error);

	snprintf(text, 256, "%.*s", (int)size, bytes ? (const char *)bytes : "");
	return !error.number || content_wrong("%s", error.text);
}

static void print_section_json(const struct file_reader *reader, size_t i)
{
	static const char *const kind[] = {"", "memory", "runs", "operands", "named"};
	static const char *const packing[] = {"none", "zstd", "zeros", "same"};
	const struct file_section *section = file_reader_section(reader, i);
	struct json_field fields[] = {
		{"kind", JSON_TEXT, 0, kind[section->kind]},
		{"size", JSON_NUMBER, section->size, NULL},
		{"stored", JSON_NUMBER, section->stored, NULL},
		{"packing", JSON_TEXT, 0, packing[section->packing]},
		{"address", JSON_NUMBER, section->address, NULL},
		{"time", JSON_NUMBER, section->stamp.time, NULL},
		{"node", JSON_NUMBER, section->stamp.node, NULL},
	};

	printf("%s\n    {", i ? "," : "");
	json_fields(stdout, fields,
		    section->kind == FILE_MEMORY || section->kind == FILE_RUNS ? 7 : 4);
	if (section->kind == FILE_NAMED) {
		printf(", \"name\": ");
		json_text(stdout, section->name);
		printf(", \"number\": %" PRIu32, section->number);
	}
	printf("}");
}

static void print_json(struct file_reader *reader, const char *program, const char *place)
{
	const struct file_head *head = file_reader_head(reader);
	struct sums sums = add_up(reader);
	char run[17], identity[17], previous[17];
	struct json_field fields[] = {
		{"file", JSON_TEXT, 0, file_reader_path(reader)},
		{"bytes", JSON_NUMBER, file_reader_size(reader), NULL},
		{"kind", JSON_TEXT, 0, kind_of(head)},
		{"node", JSON_NUMBER, head->node, NULL},
		{"nodes", JSON_NUMBER, head->nodes, NULL},
		{"time", JSON_NUMBER, head->time, NULL},
		{"run", JSON_TEXT, 0, run},
		{"number", JSON_NUMBER, head->number, NULL},
		{"identity", JSON_TEXT, 0, identity},
		{"previous", JSON_TEXT, 0, previous},
		{"program", JSON_TEXT, 0, program},
		{"place", JSON_TEXT, 0, place},
		{"memory_bytes", JSON_NUMBER, sums.memory, NULL},
		{"zero_bytes", JSON_NUMBER, sums.zeros, NULL},
		{"same_bytes", JSON_NUMBER, sums.same, NULL},
		{"encoded_bytes", JSON_NUMBER, sums.changed, NULL},
	};

	/* As text: JSON's numbers are exact to 53 bits. */
	snprintf(run, sizeof(run), "%016" PRIx64, head->run);
	snprintf(identity, sizeof(identity), "%016" PRIx64, file_reader_identity(reader));
	snprintf(previous, sizeof(previous), "%016" PRIx64, head->previous);
	printf("{");
	json_fields(stdout, fields, sizeof(fields) / sizeof(fields[0]));
	printf(", \"sections\": [");
	for (size_t i = 0; i < file_reader_sections(reader); i++)
		print_section_json(reader, i);
	printf("]}");
}

static void print_text(struct file_reader *reader, const char *program, const char *place)
{
	static const char *const what[] = {"", "all memory", "increment",
					   "checkpoint of a sync point"};
	const struct file_head *head = file_reader_head(reader);
	struct sums sums = add_up(reader);
	char size[PRINT_SIZE], zeros[PRINT_SIZE];

	printf("%s: %s, node %u of %u\n", file_reader_path(reader), what[head->kind], head->node,
	       head->nodes);
	if (*program)
		printf("  program    %s\n", program);
	if (*place)
		printf("  place      %s\n", place);
	printf("  number     %" PRIu64 ", time-stamp %" PRIu64 "\n", head->number, head->time);
	printf("  identity   %016" PRIx64, file_reader_identity(reader));
	if (head->previous)
		printf(", depends on %016" PRIx64, head->previous);
	printf("\n  file       %s\n", print_size(file_reader_size(reader), size));
	if (sums.blocks || sums.zeros)
		printf("  memory     %s in %zu block%s, and %s of zeros\n",
		       print_size(sums.memory, size), sums.blocks, sums.blocks == 1 ? "" : "s",
		       print_size(sums.zeros, zeros));
	if (sums.same)
		printf("  as before  %s\n", print_size(sums.same, size));
	if (sums.runs)
		printf("  changed    encoded in %s, %zu section%s\n",
		       print_size(sums.changed, size), sums.runs, sums.runs == 1 ? "" : "s");
	for (size_t i = 0; i < file_reader_sections(reader); i++) {
		const struct file_section *section = file_reader_section(reader, i);

		if (section->kind == FILE_OPERANDS)
			printf("  reductions %s\n", print_size(section->size, size));
		if (section->kind == FILE_NAMED)
			printf("  section    %s %u: %s\n", section->name, section->number,
			       print_size(section->size, size));
	}
}

static bool is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int command_info(const struct order *order)
{
	int status = STATUS_SAME;

	printf(order->json ? "[" : "");
	for (int i = 0, shown = 0; i < order->files; i++) {
		struct file_reader *reader;
		char program[256], place[256];

		if (is_folder(order->file[i])) {
			if (saves_info(order, order->file[i], &shown) != STATUS_SAME)
				status = STATUS_TROUBLE;
			continue;
		}
		reader = content_open(order->file[i]);
		if (!reader) {
			status = STATUS_TROUBLE;
			continue;
		}
		if (!text_of(reader, FILE_PROGRAM, program) ||
		    !text_of(reader, FILE_PLACE, place)) {
			file_reader_close(reader);
			status = STATUS_TROUBLE;
			continue;
		}
		printf(order->json && shown++ ? ",\n" : "");
		if (order->json)
			print_json(reader, program, place);
		else
			print_text(reader, program, place);
		file_reader_close(reader);
	}
	printf(order->json ? "]\n" : "");
	return status;
}

static int verify_one(const struct order *order, const char *path, bool first)
{
	struct file_error error = {.number = 0};
	struct file_reader *reader;
	int failed = file_reader_open_sound(&reader, path, &error);
	struct json_field fields[] = {
		{"file", JSON_TEXT, 0, path},
		{"sound", JSON_FLAG, 0, NULL},
		{"offset", JSON_NUMBER, 0, NULL},
		{"error", JSON_TEXT, 0, error.text},
	};

	file_reader_close(reader);
	fields[1].number = !failed;
	fields[2].number = error.offset;
	if (order->json) {
		printf(first ? "{" : ",\n{");
		json_fields(stdout, fields, failed ? 4 : 2);
		printf("}");
	} else if (failed) {
		content_wrong("%s", error.text);
	} else if (!order->brief) {
		printf("%s: sound\n", path);
	}
	if (!failed)
		return STATUS_SAME;
	return failed == -EBADMSG ? STATUS_DIFFERENT : STATUS_TROUBLE;
}

int command_verify(const struct order *order)
{
	int worst = STATUS_SAME;

	printf(order->json ? "[" : "");
	for (int i = 0; i < order->files; i++) {
		int status = verify_one(order, order->file[i], !i);

		if (status > worst)
			worst = status;
	}
	printf(order->json ? "]\n" : "");
	return worst;
}

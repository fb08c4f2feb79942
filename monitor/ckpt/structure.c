// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * structure.c - encode: a checkpoint's memory in the structures of the papers, and how long it is.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "command.h"
#include "common/json.h"
#include "content.h"
#include "paper/encode.h"
#include "print.h"

static const char *const names[] = {
	[CAPE_SD] = "sd", [CAPE_SSD] = "ssd",	   [CAPE_MD] = "md",
	[CAPE_EP] = "ep", [CAPE_COMPACT] = "cape",
};

#define STRUCTURES (sizeof(names) / sizeof(names[0]))

static struct cape_format format_of(const struct content *content, size_t structure)
{
	struct cape_format format = CAPE_FORMAT((enum cape_structure)structure);

	format.page_size = file_reader_head(content->reader)->page_size;
	return format;
}

static bool write_bytes(const char *path, const struct cape_buffer *bytes)
{
	FILE *file = fopen(path, "we");
	bool good = file && (!bytes->size || fwrite(bytes->bytes, bytes->size, 1, file) == 1);

	if (file && fclose(file))
		good = false;
	return good || content_wrong("%s: %s", path, strerror(errno));
}

/* Structures of whole words or pages can hold only what the checkpoint has all of. */
static bool encode_to(const struct content *content, const struct cape_runs *runs, size_t structure,
		      const char *path)
{
	struct cape_format format = format_of(content, structure);
	struct content_cursor cursor = {.checkpoint = &content->checkpoint};
	struct cape_reader reader = content_reader(&cursor);
	struct cape_buffer bytes;
	bool good;
	int error;

	cape_buffer_init(&bytes, &cape_memory_heap);
	error = cape_encode(&format, runs, &reader, &bytes);
	if (error == -ENODATA)
		good = content_wrong("%s: %s has whole %s, of which it holds parts only",
				     file_reader_path(content->reader), names[structure],
				     structure == CAPE_EP ? "pages" : "words");
	else if (error)
		good = content_wrong("%s: %s", file_reader_path(content->reader), strerror(-error));
	else
		good = write_bytes(path, &bytes);
	cape_buffer_free(&bytes);
	return good;
}

static void print_sizes(const struct content *content, const struct cape_runs *runs, size_t from,
			size_t to, bool json)
{
	struct json_field fields[STRUCTURES + 2] = {
		{"runs", JSON_NUMBER, runs->count, NULL},
		{"bytes", JSON_NUMBER, runs->bytes, NULL},
	};
	size_t count = 2;

	for (size_t i = from; i < to; i++) {
		struct cape_format format = format_of(content, i);

		fields[count++] = (struct json_field){names[i], JSON_NUMBER,
						      cape_encoded_size(&format, runs), NULL};
	}
	if (json) {
		printf("{");
		json_fields(stdout, fields, count);
		printf("}\n");
		return;
	}
	for (size_t i = 0; i < count; i++)
		printf("%-5s %" PRIu64 "\n", fields[i].name, fields[i].number);
}

int command_encode(const struct order *order)
{
	size_t from = 0, to = STRUCTURES;
	struct content content;
	struct cape_runs runs;
	bool good;

	if (order->structure) {
		while (from < STRUCTURES && strcmp(order->structure, names[from]) != 0)
			from++;
		if (from == STRUCTURES) {
			content_wrong("--as %s: must be sd, ssd, md, ep or cape", order->structure);
			return STATUS_TROUBLE;
		}
		to = from + 1;
	}
	if (!content_read(&content, order->file[0]))
		return STATUS_TROUBLE;
	cape_runs_init(&runs, &cape_memory_heap);
	good = content_runs(&content.checkpoint, &runs);
	if (good)
		print_sizes(&content, &runs, from, to, order->json);
	if (good && order->output)
		good = encode_to(&content, &runs, from, order->output);
	cape_runs_free(&runs);
	content_free(&content);
	return good ? STATUS_SAME : STATUS_TROUBLE;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export.c - export: the program's static variables, as checkpoints hold them, for other programs.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "command.h"
#include "common/json.h"
#include "content.h"
#include "debug/debug_shape.h"
#include "hdf5.h"
#include "label.h"
#include "nodes.h"

struct list {
	struct variable {
		struct debug_variable of;
		uint64_t start, size; /* in the file */
	} * variable;
	size_t count, capacity;
	bool full;
};

struct export
{
	struct content content;
	struct label label;
	struct list list;
	struct content_cursor cursor;
	struct hdf5 *hdf5;
	size_t written, in_part;
	FILE *json; /* what is printed when the file is whole; or NULL */
};

static void note(void *context, uint64_t start, const struct debug_variable *of)
{
	struct list *list = context;
	struct debug_variable copy = *of;
	uint64_t size = debug_size_of(&copy.type);

	if (!size || list->full)
		return;
	list->full = cape_memory_grow(&cape_memory_heap, (void **)&list->variable, &list->capacity,
				      list->count + 1, sizeof(*list->variable));
	if (!list->full)
		list->variable[list->count++] = (struct variable){*of, start, size};
}

static int by_start(const void *a, const void *b)
{
	const struct variable *one = a, *other = b;

	return (one->start > other->start) - (one->start < other->start);
}

static bool list_variables(struct export *export)
{
	struct list *list = &export->list;
	size_t kept = 0;

	debug_each_variable(&export->label.info, note, list);
	if (list->full)
		return content_wrong("%s", strerror(ENOMEM));
	if (!list->count)
		return content_wrong("%s does not describe its variables: build it with debug "
				     "information, by cape-cc -g",
				     export->label.program);
	qsort(list->variable, list->count, sizeof(*list->variable), by_start);
	for (size_t i = 1; i < list->count; i++)
		if (list->variable[i].start != list->variable[kept].start)
			list->variable[++kept] = list->variable[i];
	list->count = kept + 1;
	return true;
}

/* Copies what is there of SIZE bytes at ADDRESS to BYTES; how many. */
static uint64_t copy(struct content_cursor *cursor, uint64_t address, uint64_t size,
		     unsigned char *bytes)
{
	const struct cape_checkpoint *checkpoint = cursor->checkpoint;
	uint64_t at = 0, copied = 0;

	while (at < size) {
		const unsigned char *from = content_bytes(cursor, address + at, 1);
		const struct cape_member *member;
		uint64_t length;

		if (cursor->member == checkpoint->members)
			break;
		member = &checkpoint->member[cursor->member];
		if (!from) {
			at = member->address - address;
			continue;
		}
		length = member->address + member->length - (address + at);
		if (length > size - at)
			length = size - at;
		memcpy(bytes + at, from, length);
		at += length;
		copied += length;
	}
	return copied;
}

/* Its name; where the program has several, with the place or the address, too. */
static void name_variable(const struct export *export, const struct variable *variable,
			  const char *place, char *name, size_t size)
{
	const struct list *list = &export->list;
	size_t same = 0;

	for (size_t i = 0; i < list->count; i++)
		same += strcmp(list->variable[i].of.name, variable->of.name) == 0;
	snprintf(name, size, "%s", variable->of.name);
	if (same > 1)
		snprintf(name, size, "%s@%s", variable->of.name, place);
	if (hdf5_has(export->hdf5, name))
		snprintf(name, size, "%s@%#llx", variable->of.name,
			 (unsigned long long)variable->start);
}

static void tell(struct export *export, const struct hdf5_variable *put)
{
	export->in_part += put->missing > 0;
	if (export->json) {
		fprintf(export->json, "%s\n  {\"name\": ", export->written ? "," : "");
		json_text(export->json, put->name);
		fprintf(export->json, ", \"size\": %llu, \"missing\": %llu}",
			(unsigned long long)put->size, (unsigned long long)put->missing);
	}
	export->written++;
}

static bool put_variable(struct export *export, const struct variable *variable)
{
	uint64_t address = variable->start + export->label.bias;
	const char *file = strrchr(variable->of.file, '/');
	struct hdf5_variable put = {
		.type = variable->of.type,
		.address = address,
		.size = variable->size,
		.bytes = content_bytes(&export->cursor, address, variable->size)};
	unsigned char *bytes = NULL;
	char name[256], place[160];
	bool good = true;

	snprintf(place, sizeof(place), "%s:%d", file ? file + 1 : variable->of.file,
		 variable->of.line);
	put.name = name;
	put.place = place;
	if (!put.bytes) {
		bytes = calloc(1, variable->size);
		if (!bytes)
			return content_wrong("%s: %s", variable->of.name, strerror(ENOMEM));
		put.bytes = bytes;
		put.missing =
			variable->size - copy(&export->cursor, address, variable->size, bytes);
	}
	if (put.missing < variable->size) {
		name_variable(export, variable, place, name, sizeof(name));
		good = hdf5_put(export->hdf5, &put);
		if (good)
			tell(export, &put);
	}
	free(bytes);
	return good;
}

static bool put_all(struct export *export, const char *path)
{
	bool good = true;

	export->hdf5 = hdf5_open(path);
	if (!export->hdf5)
		return false;
	for (size_t i = 0; i < export->list.count && good; i++)
		good = put_variable(export, &export->list.variable[i]);
	return hdf5_close(export->hdf5, good) && good;
}

/* Writes the file PATH, and reports it when it is there. */
static bool write_all(struct export *export, const char *path, bool json)
{
	char *text = NULL;
	size_t size;
	bool good;

	if (json && !(export->json = open_memstream(&text, &size)))
		return content_wrong("%s", strerror(errno));
	good = put_all(export, path);
	if (json && fclose(export->json))
		good = content_wrong("%s", strerror(ENOMEM));
	if (good && json)
		printf("{\"variables\": [%s]}\n", text);
	else if (good)
		printf("%s: %zu variable%s, %zu of them in part\n", path, export->written,
		       export->written == 1 ? "" : "s", export->in_part);
	free(text);
	return good;
}

static bool is_one(const char *path, const struct stat *output)
{
	struct stat input;

	return path && !stat(path, &input) && input.st_dev == output->st_dev &&
	       input.st_ino == output->st_ino;
}

/* What is read is not to be replaced. */
static bool output_is_apart(const struct export *export, const struct order *order)
{
	struct stat output;
	bool apart;

	if (stat(order->hdf5, &output))
		return true;
	apart = !is_one(export->label.program, &output);
	for (int i = 0; i < order->files && apart; i++)
		apart = !is_one(order->file[i], &output);
	return apart || content_wrong("--hdf5 %s: it is one of the files that export reads; give "
				      "it another name",
				      order->hdf5);
}

/* The first file that names its program; of a saved run it is not a node's. */
static bool open_label(struct export *export, const struct order *order)
{
	for (int i = 0; i < order->files; i++) {
		struct file_reader *reader = content_open(order->file[i]);

		if (!reader)
			return false;
		label_open(&export->label, reader);
		file_reader_close(reader);
		if (export->label.program)
			return true;
		label_close(&export->label);
	}
	return content_wrong("export: the program is not known, which names the variables; for a "
			     "saved run, name the file \"run\", too");
}

/* Of a saved set each node has what others have not.  False: files are missing, and a message says
 * so. */
static bool has_all_nodes(const struct content *content)
{
	const struct file_head *head = file_reader_head(content->reader);
	char missing[120] = "";
	size_t length = 0;

	if (head->kind == FILE_SYNC_POINT)
		return true;
	for (uint32_t node = 0; node < head->nodes && length < sizeof(missing) - 20; node++)
		if (!nodes_has(&content->nodes, node))
			length += (size_t)snprintf(missing + length, sizeof(missing) - length,
						   "%snode-%" PRIu32, length ? ", " : "", node);
	return !length || content_wrong("export: of set %" PRIu64 ", which has %" PRIu32
					" nodes, there is no file %s%s: what they alone "
					"have is missing",
					head->number, head->nodes, missing,
					length < sizeof(missing) - 20 ? "" : ", ...");
}

int command_export(const struct order *order)
{
	struct export export = {.json = NULL};
	bool good = false, whole = false;

	/* First, so that damage is reported as such. */
	if (!combine_files(order, &export.content))
		return STATUS_TROUBLE;
	if (!open_label(&export, order))
		goto free_content;
	export.cursor.checkpoint = &export.content.checkpoint;
	good = output_is_apart(&export, order) && list_variables(&export) &&
	       write_all(&export, order->hdf5, order->json);
	whole = good && has_all_nodes(&export.content);
	free(export.list.variable);
	label_close(&export.label);
free_content:
	content_free(&export.content);
	if (!good)
		return STATUS_TROUBLE;
	return whole ? STATUS_SAME : STATUS_DIFFERENT;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * label.c - names of addresses, from the program that the checkpoint is of.
 */
#include "label.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/hash.h"
#include "content.h"
#include "file/layout.h"
#include "system/ranges.h"

static char *text_of(struct file_reader *reader, const char *name)
{
	struct file_error error;
	uint64_t size;
	const unsigned char *bytes = file_read_named(reader, name, &size, &error);

	return bytes ? strndup((const char *)bytes, size) : NULL;
}

/* The path of the program, to be freed; or NULL. */
static char *program_of(struct file_reader *reader)
{
	char *program = text_of(reader, FILE_PROGRAM), *folder = text_of(reader, FILE_FOLDER);
	char *whole = NULL;

	if (program && folder && program[0] != '/' &&
	    asprintf(&whole, "%s/%s", folder, program) >= 0) {
		free(program);
		program = whole;
	}
	free(folder);
	return program;
}

static uint64_t number_of(struct file_reader *reader, const char *name)
{
	struct file_error error;
	uint64_t size;
	const unsigned char *bytes = file_read_named(reader, name, &size, &error);

	return size == 8 ? file_get(bytes, 8) : 0;
}

struct list {
	struct cape_run *run;
	size_t count, capacity;
};

static void note(void *context, uint64_t start, uint64_t size)
{
	struct list *list = context;

	if (size && size <= UINT64_MAX - start &&
	    cape_memory_grow(&cape_memory_heap, (void **)&list->run, &list->capacity,
			     list->count + 1, sizeof(*list->run)) == 0)
		list->run[list->count++] = (struct cape_run){start, size};
}

static int by_address(const void *a, const void *b)
{
	const struct cape_run *one = a, *other = b;

	return (one->address > other->address) - (one->address < other->address);
}

static void list_variables(struct label *label)
{
	struct list list = {.count = 0};

	symbol_each(label->program, label->info.thread_storage, note, &list);
	if (list.count)
		qsort(list.run, list.count, sizeof(*list.run), by_address);
	/* Of those that overlap the first counts. */
	for (size_t i = 0; i < list.count; i++)
		if (list.run[i].address >= cape_runs_end(&label->variables))
			cape_runs_add(&label->variables, list.run[i].address, list.run[i].length);
	free(list.run);
}

/* Another build has its variables at other places; older checkpoints do not say which it was. */
static bool is_same(const struct label *label, struct file_reader *reader)
{
	uint64_t expected = number_of(reader, FILE_HASH), hash = hash_of_file(label->program);

	if (hash && expected && hash != expected)
		return content_wrong("%s is not the program that %s is of: there are no names",
				     label->program, file_reader_path(reader));
	return hash;
}

/* As if it were the file's. */
static uint64_t thread_storage_of(struct file_reader *reader, uint64_t bias)
{
	uint64_t storage = number_of(reader, FILE_THREAD_STORAGE);

	return storage ? storage - bias : 0;
}

void label_open(struct label *label, struct file_reader *reader)
{
	*label = (struct label){.program = program_of(reader)};
	cape_runs_init(&label->variables, &cape_memory_heap);
	if (label->program && !is_same(label, reader)) {
		free(label->program);
		label->program = NULL;
	}
	if (!label->program)
		return;
	label->bias = number_of(reader, FILE_LOAD_BIAS);
	debug_info_open(&label->info, label->program);
	label->info.thread_storage = thread_storage_of(reader, label->bias);
	list_variables(label);
}

void label_close(struct label *label)
{
	if (label->program)
		debug_info_close(&label->info);
	cape_runs_free(&label->variables);
	free(label->program);
}

/* Neighbours may have become one run: then more is asked for than is found. */
static bool is_variable(const struct label *label, uint64_t address)
{
	const struct cape_runs *runs = &label->variables;
	size_t i = cape_pieces_find(runs->run, runs->count, sizeof(*runs->run), address);

	return i < runs->count && runs->run[i].address <= address;
}

/* Of the file's address; false: it is no static variable's. */
static bool find_symbol(struct label *label, uint64_t address)
{
	if (label->symbol.size && address >= label->symbol.start &&
	    address - label->symbol.start < label->symbol.size)
		return true;
	if (!is_variable(label, address) ||
	    !symbol_find(label->program, label->info.thread_storage, address, &label->symbol)) {
		label->symbol.size = 0;
		return false;
	}
	label->typed = debug_variable_at(&label->info, label->symbol.start, &label->variable);
	return true;
}

static void name_part(struct label *label, uint64_t offset, struct label_part *part)
{
	struct debug_part found = {.size = 0};

	snprintf(part->name, sizeof(part->name), "%s", label->symbol.name);
	if (label->typed) {
		snprintf(part->place, sizeof(part->place), "%s:%d", label->variable.file,
			 label->variable.line);
		debug_part_of(&label->variable.type, offset, part->name, sizeof(part->name),
			      &found);
	}
	if (found.size && found.before <= offset && found.before < found.size) {
		part->address -= found.before;
		part->size = found.size;
		part->type = found.type;
		part->typed = true;
		return;
	}
	if (offset)
		snprintf(part->name, sizeof(part->name), "%s + %llu", label->symbol.name,
			 (unsigned long long)offset);
	if (part->size > label->symbol.size - offset)
		part->size = label->symbol.size - offset;
}

void label_find(struct label *label, uint64_t address, struct label_part *part)
{
	*part = (struct label_part){.address = address, .size = CAPE_WORD - address % CAPE_WORD};
	if (label->program && find_symbol(label, address - label->bias))
		name_part(label, address - label->bias - label->symbol.start, part);
}

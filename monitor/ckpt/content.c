// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * content.c - a file as a checkpoint in memory, and back.
 */
#include "content.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "nodes.h"
#include "paper/merge.h"

bool content_wrong(const char *format, ...)
{
	va_list arguments;

	fputs("cape-ckpt: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return false;
}

int content_note(struct file_error *error, const struct file_reader *reader, int failed)
{
	if (failed)
		snprintf(error->text, sizeof(error->text), "%s: %s", file_reader_path(reader),
			 strerror(-failed));
	return failed;
}

static bool no_memory(const char *path)
{
	return content_wrong("%s: %s", path, strerror(ENOMEM));
}

struct file_reader *content_open(const char *path)
{
	struct file_reader *reader;
	struct file_error error;

	if (file_reader_open(&reader, path, &error))
		content_wrong("%s", error.text);
	return reader;
}

bool content_verify(const char *path)
{
	struct file_reader *reader;
	struct file_error error;
	bool sound =
		!file_reader_open_sound(&reader, path, &error) || content_wrong("%s", error.text);

	file_reader_close(reader);
	return sound;
}

/* Zeros take no room in a file, however many. */
static bool has_room(const struct file_reader *reader)
{
	uint64_t room = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t total = 0;

	for (size_t i = 0; i < file_reader_sections(reader); i++) {
		const struct file_section *section = file_reader_section(reader, i);

		if (file_is_same(reader, i))
			continue;
		if (section->size > room || total + section->size > room)
			return content_wrong("%s: it holds more memory than this machine has",
					     file_reader_path(reader));
		total += section->size;
	}
	return true;
}

static int add_runs(struct file_reader *reader, size_t i, struct cape_checkpoint *into,
		    struct file_error *error)
{
	const struct file_section *section = file_reader_section(reader, i);
	const struct cape_runs *runs;
	const unsigned char *bytes;
	int failed = file_read_runs(reader, i, &runs, &bytes, error);

	if (failed)
		return failed;
	for (size_t run = 0; run < runs->count && !failed; run++) {
		struct cape_member member = {runs->run[run].address, runs->run[run].length,
					     section->stamp};

		failed = cape_checkpoint_append(into, member, bytes);
		bytes += member.length;
	}
	return content_note(error, reader, failed);
}

static int add_memory(struct file_reader *reader, size_t i, struct cape_checkpoint *into,
		      struct file_error *error)
{
	const struct file_section *section = file_reader_section(reader, i);
	struct cape_member member = {section->address, section->size, section->stamp};
	const unsigned char *bytes = NULL;
	unsigned char *zeros = NULL;
	int failed = 0;

	if (file_is_zeros(reader, i)) {
		bytes = zeros = calloc(1, section->size);
		failed = zeros ? 0 : -ENOMEM;
	} else {
		failed = file_read(reader, i, &bytes, error);
		if (failed)
			return failed;
	}
	if (!failed)
		failed = cape_checkpoint_append(into, member, bytes);
	free(zeros);
	return content_note(error, reader, failed);
}

/* Registers are all that is used of what has a name, but damage in any is reported. */
static int add_named(struct file_reader *reader, size_t i, struct cape_checkpoint *into,
		     struct file_error *error)
{
	const struct file_head *head = file_reader_head(reader);
	const struct file_section *section = file_reader_section(reader, i);
	const unsigned char *bytes;
	int failed = file_read(reader, i, &bytes, error);

	if (failed || strcmp(section->name, FILE_REGISTERS) != 0 || section->number)
		return failed;
	failed = cape_checkpoint_set_registers(into, (struct cape_stamp){head->time, head->node},
					       bytes, section->size);
	return content_note(error, reader, failed);
}

/* Memory of a later time-stamp is merged with what came before. */
static int add_section(struct file_reader *reader, size_t i, struct cape_checkpoint *all,
		       struct cape_checkpoint *group, struct file_error *error)
{
	const struct file_section *section = file_reader_section(reader, i);
	bool memory = section->kind == FILE_MEMORY || section->kind == FILE_RUNS;
	int failed = 0;

	if (memory && group->members &&
	    cape_stamp_compare(group->member[0].stamp, section->stamp) != 0) {
		failed = cape_checkpoint_merge(all, group);
		cape_checkpoint_free(group);
	}
	if (failed)
		return content_note(error, reader, failed);
	switch (section->kind) {
	case FILE_MEMORY:
		return file_is_same(reader, i) ? 0 : add_memory(reader, i, group, error);
	case FILE_RUNS:
		return add_runs(reader, i, group, error);
	case FILE_OPERANDS:
		return file_read_operands(reader, i, all, error);
	default:
		return add_named(reader, i, all, error);
	}
}

bool content_read(struct content *content, const char *path)
{
	struct file_error error = {.text = ""};
	struct cape_checkpoint group;
	int failed = 0;

	content->reader = content_open(path);
	if (!content->reader)
		return false;
	content->rest = file_reader_has(content->reader, FILE_REST);
	cape_checkpoint_init(&content->checkpoint, &cape_memory_heap);
	cape_buffer_init(&content->nodes, &cape_memory_heap);
	cape_checkpoint_init(&group, &cape_memory_heap);
	content->checkpoint.stamp = (struct cape_stamp){file_reader_head(content->reader)->time,
							file_reader_head(content->reader)->node};
	if (!has_room(content->reader))
		goto free_content;
	for (size_t i = 0; i < file_reader_sections(content->reader) && !failed; i++)
		failed = add_section(content->reader, i, &content->checkpoint, &group, &error);
	if (!failed)
		failed = nodes_add(&content->nodes, content->reader, &error);
	if (failed) {
		content_wrong("%s", error.text);
		goto free_content;
	}
	if (cape_checkpoint_merge(&content->checkpoint, &group)) {
		no_memory(path);
		goto free_content;
	}
	cape_checkpoint_free(&group);
	return true;
free_content:
	cape_checkpoint_free(&group);
	content_free(content);
	return false;
}

bool content_is_whole(const struct content *content)
{
	return file_reader_head(content->reader)->kind != FILE_INCREMENT ||
	       content_wrong(
		       "%s: it is an increment: merge it with the files that it depends on first",
		       file_reader_path(content->reader));
}

void content_free(struct content *content)
{
	cape_checkpoint_free(&content->checkpoint);
	cape_buffer_free(&content->nodes);
	file_reader_close(content->reader);
}

const unsigned char *content_bytes(struct content_cursor *cursor, uint64_t address, uint64_t length)
{
	const struct cape_checkpoint *checkpoint = cursor->checkpoint;
	const struct cape_member *member;
	uint64_t passed, end;
	size_t i;

	while (cursor->member && (cursor->member == checkpoint->members ||
				  address < checkpoint->member[cursor->member].address))
		cursor->passed -= checkpoint->member[--cursor->member].length;
	while (cursor->member < checkpoint->members &&
	       checkpoint->member[cursor->member].address +
			       checkpoint->member[cursor->member].length <=
		       address)
		cursor->passed += checkpoint->member[cursor->member++].length;
	if (cursor->member == checkpoint->members)
		return NULL;
	member = &checkpoint->member[cursor->member];
	if (address < member->address)
		return NULL;
	passed = cursor->passed + (address - member->address);
	/* The bytes of members that touch lie one after the other. */
	end = member->address + member->length;
	for (i = cursor->member + 1; end - address < length; i++) {
		if (i == checkpoint->members || checkpoint->member[i].address != end)
			return NULL;
		end += checkpoint->member[i].length;
	}
	return checkpoint->data.bytes + passed;
}

static int add_run(struct cape_runs *runs, const struct cape_member *member)
{
	return cape_runs_add(runs, member->address, member->length);
}

bool content_runs(const struct cape_checkpoint *checkpoint, struct cape_runs *runs)
{
	for (size_t i = 0; i < checkpoint->members; i++)
		if (add_run(runs, &checkpoint->member[i]))
			return content_wrong("%s", strerror(ENOMEM));
	return true;
}

static int read_bytes(void *context, uint64_t address, void *bytes, size_t length)
{
	const unsigned char *from = content_bytes(context, address, length);

	if (!from)
		return -ENODATA;
	memcpy(bytes, from, length);
	return 0;
}

struct cape_reader content_reader(struct content_cursor *cursor)
{
	return (struct cape_reader){cursor, read_bytes};
}

static int write_stamp(struct file_writer *writer, const struct cape_checkpoint *checkpoint,
		       struct cape_stamp stamp, struct file_error *error)
{
	struct content_cursor cursor = {.checkpoint = checkpoint};
	struct cape_reader reader = content_reader(&cursor);
	struct cape_runs runs;
	int failed = 0;

	cape_runs_init(&runs, &cape_memory_heap);
	for (size_t i = 0; i < checkpoint->members && !failed; i++)
		if (cape_stamp_compare(checkpoint->member[i].stamp, stamp) == 0)
			failed = add_run(&runs, &checkpoint->member[i]);
	if (failed)
		snprintf(error->text, sizeof(error->text), "%s", strerror(-failed));
	else
		failed = file_write_runs(writer, stamp, &runs, &reader, error);
	cape_runs_free(&runs);
	return failed;
}

/* The least time-stamp of a member that is later than *STAMP, if there is one. */
static bool next_stamp(const struct cape_checkpoint *checkpoint, const struct cape_stamp *after,
		       struct cape_stamp *stamp)
{
	bool found = false;

	for (size_t i = 0; i < checkpoint->members; i++) {
		struct cape_stamp of = checkpoint->member[i].stamp;

		if ((after && cape_stamp_compare(of, *after) <= 0) ||
		    (found && cape_stamp_compare(of, *stamp) >= 0))
			continue;
		*stamp = of;
		found = true;
	}
	return found;
}

static int write_memory(struct file_writer *writer, const struct cape_checkpoint *checkpoint,
			struct file_error *error)
{
	struct cape_stamp stamp, before;
	bool more = next_stamp(checkpoint, NULL, &stamp);
	int failed = 0;

	while (more && !failed) {
		failed = write_stamp(writer, checkpoint, stamp, error);
		before = stamp;
		more = next_stamp(checkpoint, &before, &stamp);
	}
	return failed;
}

int content_put_named(struct file_writer *writer, struct file_reader *from,
		      struct file_error *error)
{
	int failed = 0;

	for (size_t i = 0; i < file_reader_sections(from) && !failed; i++) {
		const struct file_section *section = file_reader_section(from, i);
		const unsigned char *bytes;

		if (section->kind != FILE_NAMED || strcmp(section->name, NODES_SECTION) == 0)
			continue;
		failed = file_read(from, i, &bytes, error);
		if (!failed)
			failed = file_write_named(writer, section->name, section->number, bytes,
						  section->size, error);
	}
	return failed;
}

static bool write_to(const char *folder, const char *name, const struct file_head *head,
		     content_put *put, void *context)
{
	struct file_writer *writer;
	struct file_error error;

	if (file_writer_open(&writer, folder, name, head, &error))
		return content_wrong("%s", error.text);
	if (put(writer, context, &error)) {
		file_writer_abort(writer);
		return content_wrong("%s", error.text);
	}
	return !file_writer_commit(writer, NULL, &error) || content_wrong("%s", error.text);
}

bool content_place(const char *path, char **folder, char **name)
{
	struct stat link;
	/* A link stays, and leads to what is written. */
	char *target = lstat(path, &link) ? strdup(path) : realpath(path, NULL);
	char *slash = target ? strrchr(target, '/') : NULL;

	*folder = slash ? strndup(target, (size_t)(slash - target) + 1) : strdup(".");
	*name = target ? strdup(slash ? slash + 1 : target) : NULL;
	free(target);
	if (*folder && *name)
		return true;
	content_wrong("%s: %s", path, strerror(errno));
	free(*folder);
	free(*name);
	return false;
}

bool content_make(const char *path, const struct file_head *head, content_put *put, void *context)
{
	char *folder, *name;
	bool written;

	if (!content_place(path, &folder, &name))
		return false;
	written = write_to(folder, name, head, put, context);
	free(folder);
	free(name);
	return written;
}

static int put_checkpoint(struct file_writer *writer, void *context, struct file_error *error)
{
	const struct content *content = context;
	int failed = content_put_named(writer, content->reader, error);

	if (!failed && file_reader_head(content->reader)->kind != FILE_SYNC_POINT)
		failed = file_write_named(writer, NODES_SECTION, 0, content->nodes.bytes,
					  content->nodes.size, error);
	if (!failed && content->rest && !file_reader_has(content->reader, FILE_REST))
		failed = file_write_named(writer, FILE_REST, 0, "", 0, error);
	if (!failed)
		failed = write_memory(writer, &content->checkpoint, error);
	return failed ? failed : file_write_operands(writer, &content->checkpoint, error);
}

bool content_write(const char *path, struct content *content)
{
	return content_is_whole(content) &&
	       content_make(path, file_reader_head(content->reader), put_checkpoint, content);
}

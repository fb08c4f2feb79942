/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script.c - a line for each record, and one for each function on its stack, and an empty one.
 */
#include "script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME 15 /* as much as the kernel keeps of the name of a process */

/* The program's, which comes first: the recording has not the process's own. */
static void put_command(const struct naming *naming, FILE *out)
{
	const struct maps_line *line = naming->maps.line;
	int from = 0, length = naming->maps.count ? line->name_length : 0;

	for (int i = 0; i < length; i++)
		if (line->name[i] == '/')
			from = i + 1;
	if (from == length)
		fputc('?', out);
	for (int i = from; i < length && i < from + NAME; i++)
		fputc(line->name[i] == ' ' ? '_' : line->name[i], out);
}

/* What the kernel did is one function: its stack has no names any more. */
static void put_call(const struct cape_record *record, FILE *out)
{
	fprintf(out, "\t%16" PRIx64 " ",
		(uint64_t)(record->kernel_depth ? record->kernel_stack[0] : 0));
	if (record->system_call < 0) {
		fputs("kernel", out);
	} else {
		fputs("sys_", out);
		naming_call(record->system_call, out);
	}
	fputs(" ([kernel.kallsyms])\n", out);
}

static void put_frame(const struct naming *naming, uint64_t address, uint64_t named, FILE *out)
{
	fprintf(out, "\t%16" PRIx64 " ", address);
	naming_frame(naming, named, out);
	fputc('\n', out);
}

static void put_record(const struct naming *naming, uint64_t pid, const struct cape_record *record,
		       const struct unwind *unwind, FILE *out)
{
	const bool by_kernel = record->flags & CAPE_RECORD_BY_KERNEL;
	const bool watched = record->flags & CAPE_RECORD_WATCHED;

	put_command(naming, out);
	fprintf(out, " %" PRIu64 "/%u [%03u] %" PRIu64 ".%06" PRIu64 ": 1 cape:%s:\n", pid,
		record->thread, record->cpu, (uint64_t)record->time / 1000000000,
		(uint64_t)record->time / 1000 % 1000000, watched ? "write" : "first_write");
	if (by_kernel)
		put_call(record, out);
	put_frame(naming, record->instruction, record->instruction - (by_kernel || watched), out);
	for (size_t i = 1; i < unwind->count; i++)
		put_frame(naming, unwind->address[i], unwind->address[i] - 1, out);
	fputc('\n', out);
}

/* Its lines and the indents of these are ours; names may be anything. */
static void clean(char *text, size_t length)
{
	for (char *line = text, *end; line < text + length; line = end + 1) {
		end = memchr(line, '\n', length - (size_t)(line - text));
		if (!end)
			end = text + length;
		if (*line == '\t')
			line++;
		naming_clean(line, (size_t)(end - line));
	}
}

int script_print(const struct naming *naming, uint64_t pid, const struct cape_record *record,
		 const struct unwind *unwind, FILE *out)
{
	char *text = NULL;
	size_t length;
	FILE *lines = open_memstream(&text, &length);
	int error;

	if (!lines)
		return ENOMEM;
	put_record(naming, pid, record, unwind, lines);
	error = fclose(lines) != 0 ? ENOMEM : 0;
	if (!error) {
		clean(text, length);
		fwrite(text, 1, length, out);
	}
	free(text);
	return error;
}

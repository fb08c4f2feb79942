/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.c - see trace.h.
 */
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "common/json.h"

/* Writes what NAME writes of ADDRESS, in quotes, to OUT.  0 or an errno. */
static int put_named(const struct naming *naming, uint64_t address,
		     void (*name)(const struct naming *naming, uint64_t address, FILE *out),
		     FILE *out)
{
	char *text = NULL;
	size_t length;
	FILE *lines = open_memstream(&text, &length);
	int error;

	if (!lines)
		return ENOMEM;
	name(naming, address, lines);
	error = fclose(lines) != 0 ? ENOMEM : 0;
	if (!error)
		json_text(out, text);
	free(text);
	return error;
}

static void put_program(const struct naming *naming, uint64_t unused, FILE *out)
{
	const struct maps *maps = &naming->maps;

	(void)unused;
	fprintf(out, "%.*s", maps->count ? maps->line->name_length : 0,
		maps->count ? maps->line->name : "");
}

void trace_begin(const struct naming *naming, uint64_t pid, FILE *out)
{
	fprintf(out,
		"{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
		"{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %" PRIu64
		", \"tid\": %" PRIu64 ", \"args\": {\"name\": ",
		pid, pid);
	if (put_named(naming, 0, put_program, out))
		fputs("\"\"", out);
	fputs("}}", out);
}

/* The first is where it was; each of the others is after a call. */
static int put_callers(const struct naming *naming, const struct unwind *unwind, FILE *out)
{
	int error = 0;

	fputs(", \"callers\": [", out);
	for (size_t i = 1; i < unwind->count && !error; i++) {
		fputs(i > 1 ? ", " : "", out);
		error = put_named(naming, unwind->address[i] - 1, naming_code, out);
	}
	fputc(']', out);
	return error;
}

static void put_call(const struct cape_record *record, FILE *out)
{
	fputs(", \"system_call\": \"", out);
	if (record->system_call < 0)
		fputs("none", out);
	else
		naming_call(record->system_call, out);
	fputc('"', out);
}

int trace_record(const struct naming *naming, uint64_t pid, const struct cape_record *record,
		 const struct unwind *unwind, FILE *out)
{
	const bool watched = record->flags & CAPE_RECORD_WATCHED;
	const bool by_kernel = record->flags & CAPE_RECORD_BY_KERNEL;
	int error;

	fprintf(out,
		",\n{\"ph\": \"i\", \"s\": \"t\", \"cat\": \"%s\", \"pid\": %" PRIu64
		", \"tid\": %u, \"ts\": %" PRIu64 ".%03u, \"name\": ",
		watched ? "write" : "first write", pid, record->thread,
		(uint64_t)record->time / 1000, (unsigned)(record->time % 1000));
	error = put_named(naming, record->instruction - (watched || by_kernel), naming_code, out);
	fputs(", \"args\": {\"place\": ", out);
	if (!error)
		error = put_named(naming, record->address, naming_data, out);
	/* Numbers of 64 bits are more than a reader of JSON may have. */
	fprintf(out, ", \"address\": \"0x%" PRIx64 "\", \"cpu\": %u", (uint64_t)record->address,
		record->cpu);
	if (watched)
		fprintf(out, ", \"value\": \"0x%" PRIx64 "\"", (uint64_t)record->value);
	if (by_kernel)
		put_call(record, out);
	if (!error)
		error = put_callers(naming, unwind, out);
	fputs("}}", out);
	return error;
}

void trace_end(uint64_t records, uint64_t lost, FILE *out)
{
	fprintf(out, "\n], \"otherData\": {\"records\": %" PRIu64 ", \"lost\": %" PRIu64 "}}\n",
		records, lost);
}

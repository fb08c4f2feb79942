/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c - counts the records of a recording by the instruction, and by what was written to.
 *
 * The file may be from anybody: sizes in it are not believed, nor shown are its control characters.
 */
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/json.h"
#include "tools/naming.h"
#include "recording.h"
#include "script.h"
#include "trace.h"
#include "unwind.h"

struct tally {
	uint64_t count;
	char name[];
};

struct row {
	const struct tally *tally;
};

/* Tallies by name, and then by count. */
struct table {
	void *tree;
	struct row *sorted;
	size_t names, taken;
};

struct report {
	FILE *in;
	const char *file;
	const struct attached_streams *streams;
	bool json, stacks, each, script, trace;
	struct recording_header header;
	struct recording_stacks has;
	char *maps;
	struct naming naming;
	struct unwind unwind;
	struct cape_record *record; /* the one that is read, with its stack */
	uint64_t records, lost, watched, first_time;
	struct table code, data;
};

static int broken(const struct report *report, const char *what)
{
	return attached_fail(report->streams, "%s: %s", report->file, what);
}

static int no_memory(const struct report *report)
{
	return broken(report, strerror(ENOMEM));
}

/* An exit status. */
static int take(struct report *report, void *to, size_t size)
{
	if (fread(to, 1, size, report->in) == size)
		return 0;
	return broken(report, ferror(report->in) ? strerror(errno)
						 : "it is cut short: its recording did not end");
}

/* A driver's records may be larger than those known here. */
static bool is_size_of_record(uint32_t size)
{
	return size >= sizeof(struct cape_record) && size <= RECORDING_RECORD;
}

/* Where a record has its stack, in version 2. */
static int read_stacks(struct report *report)
{
	struct recording_stacks *has = &report->has;

	if (report->header.version != RECORDING_STACKS)
		return 0;
	if (take(report, has, sizeof(*has)))
		return 1;
	if (has->stack_offset < sizeof(struct cape_record) ||
	    has->stack_offset % sizeof(uint64_t) || has->stack_bytes > CAPE_STACK_MOST ||
	    (uint64_t)has->stack_offset + sizeof(struct cape_record_stack) + has->stack_bytes >
		    report->header.record_size)
		return broken(report, "it is damaged: an impossible size");
	return 0;
}

static int read_header(struct report *report)
{
	struct recording_header *header = &report->header;
	const size_t got = fread(header, 1, sizeof(*header), report->in);

	if (ferror(report->in))
		return broken(report, strerror(errno));
	if (got < sizeof(header->magic) ||
	    memcmp(header->magic, RECORDING_MAGIC, sizeof(header->magic)) != 0)
		return broken(report, "it is not a recording of capectl record");
	if (got < sizeof(*header))
		return broken(report, "it is cut short: its recording did not end");
	if (header->version != RECORDING_VERSION && header->version != RECORDING_STACKS)
		return broken(report, "it is a recording of another version of capectl");
	if (!is_size_of_record(header->record_size) || header->maps_size > RECORDING_MAPS ||
	    header->pid > INT32_MAX)
		return broken(report, "it is damaged: an impossible size");
	return read_stacks(report);
}

static int read_maps(struct report *report)
{
	const size_t size = report->header.maps_size;
	int error;

	report->maps = calloc(1, size + 1);
	if (!report->maps)
		return no_memory(report);
	if (take(report, report->maps, size))
		return 1;
	if (strlen(report->maps) != size)
		return broken(report, "it is damaged: impossible mappings");
	error = naming_open(&report->naming, report->maps);
	if (error == EPROTO)
		return broken(report, "it is damaged: impossible mappings");
	if (error)
		return broken(report, strerror(error));
	unwind_open(&report->unwind, &report->naming);
	return 0;
}

static int compare_names(const void *one, const void *other)
{
	return strcmp(((const struct tally *)one)->name, ((const struct tally *)other)->name);
}

/* Counts TEXT, of LENGTH bytes, once more.  0 or an errno. */
static int count(struct table *table, const char *text, size_t length)
{
	struct tally *tally = calloc(1, sizeof(*tally) + length + 1), **found;

	if (!tally)
		return ENOMEM;
	memcpy(tally->name, text, length);
	found = tsearch(tally, &table->tree, compare_names);
	if (!found || *found != tally)
		free(tally);
	else
		table->names++;
	if (!found)
		return ENOMEM;
	(*found)->count++;
	return 0;
}

static void print_each_json(const struct report *report, const struct cape_record *record,
			    const char *code, const char *data)
{
	const bool watched = record->flags & CAPE_RECORD_WATCHED;
	const struct json_field field[] = {
		{"time", .number = record->time},
		{"thread", .number = record->thread},
		{"cpu", .number = record->cpu},
		{"address", .number = record->address},
		{"instruction", JSON_TEXT, .text = code},
		{"place", JSON_TEXT, .text = data},
		/* The last, as other records have none. */
		{"value", .number = record->value},
	};
	FILE *out = report->streams->out;

	fputs(report->records ? ", {" : "{\"writes\": [{", out);
	json_fields(out, field, sizeof(field) / sizeof(field[0]) - !watched);
	fputc('}', out);
}

/* CODE and DATA: names of the instruction, and of what it wrote to. */
static void print_each(struct report *report, const struct cape_record *record, const char *code,
		       const char *data)
{
	FILE *out = report->streams->out;

	if (!report->records)
		report->first_time = record->time;
	if (report->json) {
		print_each_json(report, record, code, data);
		return;
	}
	fprintf(out, "%12.6f thread %u cpu %u  %s  %s",
		(double)(record->time - report->first_time) * 1e-9, record->thread, record->cpu,
		code, data);
	if (record->flags & CAPE_RECORD_WATCHED)
		fprintf(out, " = 0x%" PRIx64, (uint64_t)record->value);
	fputc('\n', out);
}

/* The instruction itself is the first, if it was no system call's; the others are after calls. */
static void name_code(const struct report *report, const struct cape_record *record, FILE *out)
{
	const bool by_kernel = record->flags & CAPE_RECORD_BY_KERNEL;
	/* The instruction is the next one. */
	const bool after = record->flags & (CAPE_RECORD_BY_KERNEL | CAPE_RECORD_WATCHED);

	if (by_kernel) {
		if (record->system_call < 0)
			fputs("kernel", out);
		else
			naming_call(record->system_call, out);
		fputs(" < ", out);
	}
	naming_code(&report->naming, record->instruction - after, out);
	for (size_t i = 1; report->stacks && i < report->unwind.count; i++) {
		fputs(" < ", out);
		naming_code(&report->naming, report->unwind.address[i] - 1, out);
	}
}

static int count_record(struct report *report, const struct cape_record *record)
{
	char *text = NULL;
	size_t length, code;
	FILE *out = open_memstream(&text, &length);
	int error;

	if (!out)
		return ENOMEM;
	name_code(report, record, out);
	fputc('\0', out);
	fflush(out);
	code = length - 1;
	naming_data(&report->naming, record->address, out);
	error = fclose(out) != 0 ? ENOMEM : 0;
	if (error)
		goto out;
	naming_clean(text, code);
	naming_clean(text + code + 1, length - code - 1);
	if (report->each)
		print_each(report, record, text, text + code + 1);
	else
		error = count(&report->code, text, code)
				?: count(&report->data, text + code + 1, length - code - 1);
out:
	free(text);
	return error;
}

/* What the record has of its stack, or NULL. */
static const struct cape_record_stack *stack_of(const struct report *report)
{
	return report->has.stack_offset
		       ? (const void *)((const char *)report->record + report->has.stack_offset)
		       : NULL;
}

static bool is_record(const struct report *report)
{
	const struct cape_record *record = report->record;
	const struct cape_record_stack *stack = stack_of(report);

	return record->user_depth <= CAPE_RECORD_USER_STACK &&
	       record->kernel_depth <= CAPE_RECORD_KERNEL_STACK &&
	       (!stack || stack->length <= report->has.stack_bytes);
}

/* 0 or an errno. */
static int print_record(struct report *report)
{
	const struct cape_record *record = report->record;
	FILE *out = report->streams->out;

	if (report->stacks || report->script || report->trace)
		unwind_record(&report->unwind, record, stack_of(report));
	if (report->script)
		return script_print(&report->naming, report->header.pid, record, &report->unwind,
				    out);
	if (report->trace)
		return trace_record(&report->naming, report->header.pid, record, &report->unwind,
				    out);
	return count_record(report, record);
}

static int read_run(struct report *report, uint64_t records)
{
	for (; records; records--) {
		if (take(report, report->record, report->header.record_size))
			return 1;
		if (!is_record(report))
			return broken(report, "it is damaged: an impossible record");
		if (print_record(report))
			return no_memory(report);
		report->records++;
		report->watched += (report->record->flags & CAPE_RECORD_WATCHED) != 0;
	}
	return 0;
}

static int read_runs(struct report *report)
{
	struct recording_run run;

	report->record = malloc(report->header.record_size);
	if (!report->record)
		return no_memory(report);
	if (report->trace)
		trace_begin(&report->naming, report->header.pid, report->streams->out);
	do {
		if (take(report, &run, sizeof(run)))
			return 1;
		if (run.count > CAPE_RECORDS_MOST)
			return broken(report, "it is damaged: an impossible size");
		if (read_run(report, run.count))
			return 1;
	} while (run.count);
	report->lost = run.lost;
	return fgetc(report->in) == EOF ? 0
					: broken(report, "it is damaged: more data after its end");
}

static void take_tally(const void *node, VISIT visit, void *context)
{
	struct table *table = context;

	if (visit == postorder || visit == leaf)
		table->sorted[table->taken++].tally = *(const struct tally *const *)node;
}

static int compare_counts(const void *one, const void *other)
{
	const struct tally *left = ((const struct row *)one)->tally;
	const struct tally *right = ((const struct row *)other)->tally;

	return left->count != right->count ? (left->count < right->count ? 1 : -1)
					   : strcmp(left->name, right->name);
}

static int sort(struct table *table)
{
	table->sorted = calloc(table->names + 1, sizeof(*table->sorted));
	if (!table->sorted)
		return ENOMEM;
	twalk_r(table->tree, take_tally, table);
	qsort(table->sorted, table->taken, sizeof(*table->sorted), compare_counts);
	return 0;
}

static void print_table(const struct report *report, const char *title, const struct table *table)
{
	FILE *out = report->streams->out;

	fprintf(out, "\n%s\n", title);
	for (size_t i = 0; i < table->taken; i++)
		fprintf(out, "%10" PRIu64 " %5.1f%%  %s\n", table->sorted[i].tally->count,
			100.0 * (double)table->sorted[i].tally->count / (double)report->records,
			table->sorted[i].tally->name);
}

static void print_table_json(const struct report *report, const char *title,
			     const struct table *table)
{
	FILE *out = report->streams->out;

	fprintf(out, ", \"%s\": [", title);
	for (size_t i = 0; i < table->taken; i++) {
		fprintf(out, "%s{\"count\": %" PRIu64 ", \"name\": ", i ? ", " : "",
			table->sorted[i].tally->count);
		json_text(out, table->sorted[i].tally->name);
		fputc('}', out);
	}
	fputc(']', out);
}

static int print_report(struct report *report)
{
	const bool json = report->json;
	FILE *out = report->streams->out;

	if (sort(&report->code) || sort(&report->data))
		return no_memory(report);
	if (json) {
		fprintf(out, "%s\"pid\": %" PRIu64 ", \"records\": %" PRIu64 ", \"lost\": %" PRIu64,
			!report->each	  ? "{"
			: report->records ? "], "
					  : "{\"writes\": [], ",
			report->header.pid, report->records, report->lost);
		if (!report->each) {
			print_table_json(report, "instructions", &report->code);
			print_table_json(report, "places", &report->data);
		}
		fputs("}\n", out);
	} else if (report->trace) {
		trace_end(report->records, report->lost, out);
	} else if (!report->script) {
		fprintf(out, "process %" PRIu64 ": %" PRIu64 " %swrites, %" PRIu64 " lost\n",
			report->header.pid, report->records, report->watched ? "" : "first ",
			report->lost);
	}
	if (!json && !report->each && !report->script && !report->trace) {
		print_table(report, "by instruction:", &report->code);
		print_table(report, "by place:", &report->data);
	}
	if (fflush(out) != 0 || ferror(out))
		return attached_fail(report->streams, "cannot write the output: %s",
				     strerror(errno));
	return 0;
}

static void free_table(struct table *table)
{
	tdestroy(table->tree, free);
	free(table->sorted);
}

int report(const char *file, const struct attached_order *order,
	   const struct attached_streams *streams)
{
	struct report report = {
		.in = file ? fopen(file, "re") : streams->in,
		.file = file ? file : "standard input",
		.streams = streams,
		.json = order->json,
		.stacks = order->stacks,
		.each = order->each,
		.script = order->script,
		.trace = order->trace,
	};
	int status;

	if (!report.in)
		return broken(&report, strerror(errno));
	status = read_header(&report);
	if (!status)
		status = read_maps(&report);
	if (!status)
		status = read_runs(&report);
	if (!status)
		status = print_report(&report);
	free_table(&report.code);
	free_table(&report.data);
	if (report.naming.files)
		naming_close(&report.naming);
	free(report.maps);
	free(report.record);
	if (file)
		fclose(report.in);
	return status;
}

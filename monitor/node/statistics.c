/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statistics.c - what each node counted and how long it spent, as a table or as JSON.
 */
#include "statistics.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include "capture/checkpointer.h"
#include "common/json.h"
#include "wire/collective.h"

/* What a node counted, and what follows from it. */
struct row {
	struct cape_channel_statistics counted;
	uint64_t sent_bytes;
	uint64_t compute_time; /* all that is not spent on checkpoints */
};

/* In which tables for people it is a column. */
enum table {
	TABLE_NONE = 0,
	TABLE_SYNC = 1,
	TABLE_SENT = 2,
	TABLE_CAPTURE = 4,
	TABLE_THREADS = 8, /* the only one of a run by threads, which moves nothing */
};

static const struct column {
	const char *name; /* in JSON */
	size_t at;	  /* in struct row */
	enum json_kind kind;
	unsigned tables;
	const char *title;
	int width;
} columns[] = {
#define AT(member) offsetof(struct row, member)
	{"regions", AT(counted.regions), JSON_NUMBER, TABLE_THREADS, "regions", 11},
	{"threads", AT(counted.threads), JSON_NUMBER, TABLE_THREADS, "most threads", 12},
	{"sync_points", AT(counted.sync_points), JSON_NUMBER, TABLE_SYNC | TABLE_THREADS,
	 "sync points", 11},
	{"changed_bytes", AT(counted.changed_bytes), JSON_NUMBER, TABLE_SYNC, "changed bytes", 14},
	{"own_bytes", AT(counted.own_bytes), JSON_NUMBER, TABLE_SENT, "own checkpoint", 14},
	{"sent_bytes", AT(sent_bytes), JSON_NUMBER, TABLE_SENT, "bytes sent", 14},
	{"runs", AT(counted.runs), JSON_NUMBER, TABLE_SYNC, "runs", 12},
	{"compared_bytes", AT(counted.compared_bytes), JSON_NUMBER, TABLE_NONE, NULL, 0},
	{"paper_bytes", AT(counted.paper_bytes), JSON_NUMBER, TABLE_SYNC, "papers' SSD", 14},
	{"fork_seconds", AT(counted.fork_time), JSON_SECONDS, TABLE_NONE, NULL, 0},
	{"compute_seconds", AT(compute_time), JSON_SECONDS, TABLE_SYNC | TABLE_THREADS, "compute s",
	 10},
	{"diff_seconds", AT(counted.diff_time), JSON_SECONDS, TABLE_SYNC, "diff s", 10},
	{"exchange_seconds", AT(counted.exchange_time), JSON_SECONDS, TABLE_SYNC, "exchange s", 10},
	{"inject_seconds", AT(counted.inject_time), JSON_SECONDS, TABLE_SYNC, "inject s", 10},
	{"locks", AT(counted.locks), JSON_NUMBER, TABLE_CAPTURE, "locks", 11},
	{"pages_captured", AT(counted.pages_captured), JSON_NUMBER, TABLE_CAPTURE, "pages captured",
	 14},
	{"registers_bytes", AT(counted.registers_bytes), JSON_NUMBER, TABLE_CAPTURE, "registers",
	 14},
	{"complete_bytes", AT(counted.complete_bytes), JSON_NUMBER, TABLE_CAPTURE, "complete image",
	 14},
	{"capture_seconds", AT(counted.capture_time), JSON_SECONDS, TABLE_CAPTURE, "capture s", 10},
#define SENT(kind) AT(counted.sent[CAPE_SENT_##kind]), JSON_NUMBER, TABLE_SENT
	{"sent_own_bytes", SENT(OWN), "of these:            own", 25},
	{"sent_forwarded_bytes", SENT(FORWARDED), "forwarded", 14},
	{"sent_service_bytes", SENT(SERVICE), "service", 14},
	{"sent_output_bytes", SENT(OUTPUT), "output", 14},
	{"sent_input_bytes", SENT(INPUT), "input", 14},
	{"sent_fetched_bytes", SENT(FETCHED), "fetched", 14},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void work_out(struct row *row)
{
	const struct cape_channel_statistics *of = &row->counted;

	row->sent_bytes = 0;
	for (int kind = 0; kind < CAPE_SENT_KINDS; kind++)
		row->sent_bytes += of->sent[kind];
	row->compute_time = of->end_time - of->start_time - of->fork_time - of->diff_time -
			    of->exchange_time - of->inject_time;
}

static uint64_t value_of(const struct row *row, const struct column *column)
{
	return *(const uint64_t *)((const char *)row + column->at);
}

static void print_value(const struct row *row, const struct column *column)
{
	uint64_t value = value_of(row, column);

	if (column->kind == JSON_SECONDS)
		fprintf(stderr, " %*.4f", column->width, (double)value * 1e-9);
	else
		fprintf(stderr, " %*" PRIu64, column->width, value);
}

static void print_table(const struct row *row, int count, enum table table)
{
	fprintf(stderr, "node");
	for (size_t i = 0; i < COLUMNS; i++)
		if (columns[i].tables & table)
			fprintf(stderr, " %*s", columns[i].width, columns[i].title);
	fprintf(stderr, "\n");
	for (int which = 0; which < count; which++) {
		fprintf(stderr, "%4d", which);
		for (size_t i = 0; i < COLUMNS; i++)
			if (columns[i].tables & table)
				print_value(&row[which], &columns[i]);
		fprintf(stderr, "\n");
	}
}

static void print_tables(const struct node *node, const struct row *row)
{
	if (node->size == 1 && node->options.threads >= 0) {
		fprintf(stderr, "threads of one node, which share its memory\n");
		print_table(row, node->size, TABLE_THREADS);
		return;
	}
	fprintf(stderr, "method %s, model %s\n", cape_method_name(node->options.method),
		cape_model_name(node->options.model));
	print_table(row, node->size, TABLE_SYNC);
	print_table(row, node->size, TABLE_SENT);
	if (checkpointer_captures(node->options.checkpointer))
		print_table(row, node->size, TABLE_CAPTURE);
}

static void print_json(const struct node *node, const struct row *row)
{
	fprintf(stderr, "{\"method\": \"%s\", \"model\": \"%s\", \"nodes\": [",
		cape_method_name(node->options.method), cape_model_name(node->options.model));
	for (int which = 0; which < node->size; which++) {
		struct json_field field[1 + COLUMNS] = {{"node", .number = (uint64_t)which}};

		for (size_t i = 0; i < COLUMNS; i++)
			field[1 + i] = (struct json_field){
				columns[i].name,
				columns[i].kind,
				.number = value_of(&row[which], &columns[i]),
			};
		fprintf(stderr, "%s\n  {", which ? "," : "");
		json_fields(stderr, field, 1 + COLUMNS);
		fprintf(stderr, "}");
	}
	fprintf(stderr, "\n]}\n");
}

void statistics_print(struct node *node)
{
	struct row own = {.counted = node->channel->statistics}, *all = NULL;

	if (node->options.statistics == STATISTICS_NONE)
		return;
	work_out(&own);
	if (node->size > 1 || node->options.threads < 0) {
		own.counted.regions = node->channel->state.entered;
		own.counted.threads = (uint64_t)node_threads(node);
	}
	if (node->rank == 0)
		all = calloc((size_t)node->size, sizeof(*all));
	if (node->rank == 0 && !all)
		return;
	if (collective_gather(node->wire, &own, sizeof(own), all) < 0 || !all)
		goto out;
	if (node->options.statistics == STATISTICS_JSON)
		print_json(node, all);
	else
		print_tables(node, all);
out:
	free(all);
}

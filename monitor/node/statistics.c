/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statistics.c - what each node counted and how long it spent, as a table or as JSON.
 */
#include "statistics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "capture/checkpointer.h"
#include "wire/collective.h"

static const char *const sent_name[CAPE_SENT_KINDS] = {
	[CAPE_SENT_OWN] = "own",	 [CAPE_SENT_FORWARDED] = "forwarded",
	[CAPE_SENT_SERVICE] = "service", [CAPE_SENT_OUTPUT] = "output",
	[CAPE_SENT_INPUT] = "input",
};

static double seconds(uint64_t nanoseconds)
{
	return (double)nanoseconds * 1e-9;
}

/* All that is not spent on checkpoints. */
static double compute_seconds(const struct cape_channel_statistics *statistics)
{
	return seconds(statistics->end_time - statistics->start_time - statistics->fork_time -
		       statistics->diff_time - statistics->exchange_time - statistics->inject_time);
}

static uint64_t sent_bytes(const struct cape_channel_statistics *statistics)
{
	uint64_t sum = 0;

	for (int kind = 0; kind < CAPE_SENT_KINDS; kind++)
		sum += statistics->sent[kind];
	return sum;
}

static void print_sent(const struct node *node, const struct cape_channel_statistics *all)
{
	fprintf(stderr, "%4s %14s %14s %10s", "node", "own checkpoint", "bytes sent", "of these:");
	for (int kind = 0; kind < CAPE_SENT_KINDS; kind++)
		fprintf(stderr, " %14s", sent_name[kind]);
	fprintf(stderr, "\n");
	for (int i = 0; i < node->size; i++) {
		fprintf(stderr, "%4d %14" PRIu64 " %14" PRIu64 " %10s", i, all[i].own_bytes,
			sent_bytes(&all[i]), "");
		for (int kind = 0; kind < CAPE_SENT_KINDS; kind++)
			fprintf(stderr, " %14" PRIu64, all[i].sent[kind]);
		fprintf(stderr, "\n");
	}
}

static void print_table(const struct node *node, const struct cape_channel_statistics *all)
{
	fprintf(stderr, "method %s, model %s\n", cape_method_name(node->options.method),
		cape_model_name(node->options.model));
	fprintf(stderr, "%4s %11s %14s %12s %14s %10s %10s %10s %10s\n", "node", "sync points",
		"changed bytes", "runs", "papers' SSD", "compute s", "diff s", "exchange s",
		"inject s");
	for (int i = 0; i < node->size; i++)
		fprintf(stderr,
			"%4d %11" PRIu64 " %14" PRIu64 " %12" PRIu64 " %14" PRIu64
			" %10.4f %10.4f %10.4f %10.4f\n",
			i, all[i].sync_points, all[i].changed_bytes, all[i].runs,
			all[i].paper_bytes, compute_seconds(&all[i]), seconds(all[i].diff_time),
			seconds(all[i].exchange_time), seconds(all[i].inject_time));
	print_sent(node, all);
	if (!checkpointer_captures(node->options.checkpointer))
		return;
	fprintf(stderr, "%4s %11s %14s %14s %14s %10s\n", "node", "locks", "pages captured",
		"registers", "complete image", "capture s");
	for (int i = 0; i < node->size; i++)
		fprintf(stderr,
			"%4d %11" PRIu64 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %10.4f\n", i,
			all[i].locks, all[i].pages_captured, all[i].registers_bytes,
			all[i].complete_bytes, seconds(all[i].capture_time));
}

static void print_json_node(int which, const struct cape_channel_statistics *of)
{
	fprintf(stderr,
		"%s\n  {\"node\": %d, \"sync_points\": %" PRIu64 ", \"changed_bytes\": %" PRIu64
		", \"own_bytes\": %" PRIu64 ", \"sent_bytes\": %" PRIu64 ", \"runs\": %" PRIu64
		", \"compared_bytes\": %" PRIu64 ", \"paper_bytes\": %" PRIu64
		", \"fork_seconds\": %.9f, \"compute_seconds\": %.9f, \"diff_seconds\": %.9f, "
		"\"exchange_seconds\": %.9f, "
		"\"inject_seconds\": %.9f, \"locks\": %" PRIu64 ", \"pages_captured\": %" PRIu64
		", \"capture_seconds\": %.9f, \"registers_bytes\": %" PRIu64
		", \"complete_bytes\": %" PRIu64,
		which ? "," : "", which, of->sync_points, of->changed_bytes, of->own_bytes,
		sent_bytes(of), of->runs, of->compared_bytes, of->paper_bytes,
		seconds(of->fork_time), compute_seconds(of), seconds(of->diff_time),
		seconds(of->exchange_time), seconds(of->inject_time), of->locks, of->pages_captured,
		seconds(of->capture_time), of->registers_bytes, of->complete_bytes);
	for (int kind = 0; kind < CAPE_SENT_KINDS; kind++)
		fprintf(stderr, ", \"sent_%s_bytes\": %" PRIu64, sent_name[kind], of->sent[kind]);
	fprintf(stderr, "}");
}

static void print_json(const struct node *node, const struct cape_channel_statistics *all)
{
	fprintf(stderr, "{\"method\": \"%s\", \"model\": \"%s\", \"nodes\": [",
		cape_method_name(node->options.method), cape_model_name(node->options.model));
	for (int i = 0; i < node->size; i++)
		print_json_node(i, &all[i]);
	fprintf(stderr, "\n]}\n");
}

void statistics_print(struct node *node)
{
	struct cape_channel_statistics *all = NULL;

	if (node->options.statistics == NODE_STATISTICS_NONE)
		return;
	if (node->rank == 0)
		all = calloc((size_t)node->size, sizeof(*all));
	if (node->rank == 0 && !all)
		return;
	if (collective_gather(node->wire, &node->channel->statistics, sizeof(*all), all) < 0 ||
	    !all)
		goto out;
	if (node->options.statistics == NODE_STATISTICS_JSON)
		print_json(node, all);
	else
		print_table(node, all);
out:
	free(all);
}

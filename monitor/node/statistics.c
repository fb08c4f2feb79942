/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statistics.c - what each node counted and how long it spent, as a table or as JSON.
 */
#include "statistics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static double seconds(uint64_t nanoseconds)
{
	return (double)nanoseconds * 1e-9;
}

/* All that is not spent on checkpoints. */
static double compute_seconds(const struct cape_channel_statistics *statistics)
{
	return seconds(statistics->end_time - statistics->start_time - statistics->diff_time -
		       statistics->exchange_time - statistics->inject_time);
}

static void print_table(const struct node *node, const struct cape_channel_statistics *all)
{
	fprintf(stderr, "%4s %11s %14s %12s %10s %10s %10s %10s\n", "node", "sync points",
		"bytes sent", "runs", "compute s", "diff s", "exchange s", "inject s");
	for (int i = 0; i < node->size; i++)
		fprintf(stderr,
			"%4d %11" PRIu64 " %14" PRIu64 " %12" PRIu64
			" %10.4f %10.4f %10.4f %10.4f\n",
			i, all[i].sync_points, all[i].bytes, all[i].runs, compute_seconds(&all[i]),
			seconds(all[i].diff_time), seconds(all[i].exchange_time),
			seconds(all[i].inject_time));
}

static void print_json(const struct node *node, const struct cape_channel_statistics *all)
{
	fprintf(stderr, "{\"nodes\": [");
	for (int i = 0; i < node->size; i++)
		fprintf(stderr,
			"%s\n  {\"node\": %d, \"sync_points\": %" PRIu64 ", \"bytes\": %" PRIu64
			", \"wire_bytes\": %" PRIu64 ", \"runs\": %" PRIu64
			", \"compute_seconds\": %.9f, \"diff_seconds\": %.9f, "
			"\"exchange_seconds\": %.9f, \"inject_seconds\": %.9f}",
			i ? "," : "", i, all[i].sync_points, all[i].bytes, all[i].wire_bytes,
			all[i].runs, compute_seconds(&all[i]), seconds(all[i].diff_time),
			seconds(all[i].exchange_time), seconds(all[i].inject_time));
	fprintf(stderr, "\n]}\n");
}

void statistics_print(struct node *node)
{
	struct cape_channel_statistics *all = NULL;
	int size = sizeof(*all);

	if (node->options.statistics == NODE_STATISTICS_NONE)
		return;
	if (node->rank == 0)
		all = calloc((size_t)node->size, sizeof(*all));
	MPI_Gather(&node->channel->statistics, size, MPI_BYTE, all, size, MPI_BYTE, 0,
		   node->control);
	if (!all)
		return;
	if (node->options.statistics == NODE_STATISTICS_JSON)
		print_json(node, all);
	else
		print_table(node, all);
	free(all);
}

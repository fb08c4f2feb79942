// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * threads.c - settles how many nodes a run has, and how many threads each.
 */
#include "threads.h"

#include <stdio.h>
#include "channel/channel.h"

#define TEAM_LIMIT 65535 /* libcape/threads/worker.h */

/* The first option that wants nodes of one thread, or NULL. */
static const char *wants_one(const struct run_options *options)
{
	if (run_options_are_papers(options))
		return "the papers' methods and models";
	if (options->races)
		return "--races";
	return options->mpirun_count ? options->mpirun[0] : NULL;
}

/* Nodes of several threads exchange at barriers, and are neither saved nor looked at for races. */
static const char *wants_nodes_of_one(const struct run_options *options)
{
	if (run_options_are_papers(options))
		return "the papers' methods and models";
	if (options->races)
		return "--races";
	if (options->save_folder)
		return "--checkpoint";
	return options->restart ? "--restart" : NULL;
}

static bool refuse(const struct run_options *options, const char *option)
{
	int all = options->nodes * options->threads;

	fprintf(stderr,
		"cape-run: --threads %d goes not with %s, where a node has one thread: leave "
		"--threads out, or take -np %d\n",
		options->threads, option, all <= CAPE_NODES_LIMIT ? all : CAPE_NODES_LIMIT);
	return false;
}

static void say_what_is_not(const struct run_options *options)
{
	if (options->save_folder && options->save_points)
		fprintf(stderr,
			"cape-run: --every %dp: a run by threads is saved at ends of regions "
			"only; --threads 1 saves inside them, too\n",
			options->save_points);
	if (options->verify)
		fprintf(stderr, "cape-run: --verify compares nodes with each other, and one node "
				"has none: it finds nothing; -np N makes N nodes\n");
}

bool threads_settle(struct run_options *options)
{
	bool named = options->nodes > 0;
	const char *option;

	if (!named && options->hosts) {
		fprintf(stderr,
			"cape-run: the number of nodes is missing: with machines that are named, "
			"cape-run -np N program\n");
		return false;
	}
	if (!named)
		options->nodes = 1;
	option = options->nodes > 1 ? wants_nodes_of_one(options) : wants_one(options);
	if (options->threads > 1 && option)
		return refuse(options, option);
	if (options->nodes > 1 && options->nodes * (long)options->threads > TEAM_LIMIT) {
		fprintf(stderr, "cape-run: -np %d --threads %d: a team has %d threads at most\n",
			options->nodes, options->threads, TEAM_LIMIT);
		return false;
	}
	if (named && !options->threads)
		options->threads = 1;
	if (!named && !options->threads && option) {
		fprintf(stderr,
			"cape-run: one node of one thread, for there are no others with %s yet; "
			"-np N makes N nodes\n",
			option);
		options->threads = 1;
	}
	if (threads_has(options))
		say_what_is_not(options);
	return true;
}

int threads_of_node(const struct run_options *options)
{
	return threads_has(options) || options->threads > 1 ? options->threads : -1;
}

bool threads_has(const struct run_options *options)
{
	return options->nodes == 1 && options->threads != 1;
}

bool threads_are_all(const struct run_options *options)
{
	return threads_has(options) && !options->save_folder && !options->restart &&
	       !options->verify && !options->statistics && !options->profile &&
	       !options->trace_file && !options->wrap && !options->attach && !options->verbose;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * threads.c - settles how many nodes a run has, and how many threads each.
 */
#include "threads.h"

#include <stdio.h>
#include "channel/channel.h"
#include "common/complain.h"
#include "hosts.h"

#define TEAM_LIMIT   65535 /* libcape/threads/worker.h */
#define THREADS_MOST 1024  /* --threads */

/*
 * The first option that wants nodes of one thread, or NULL.  Nodes of several threads are not
 * looked at for races; options of mpirun need nodes that it starts, which is asked of the only one.
 */
static const char *wants_one(const struct run_options *options, bool only)
{
	if (run_options_are_papers(options))
		return "the papers' methods and models";
	if (options->races)
		return "--races";
	return only && options->mpirun_count ? options->mpirun[0] : NULL;
}

static bool refuse(const struct run_options *options, const char *option)
{
	int all = options->nodes * options->threads;

	return complain("--threads %d cannot be combined with %s, with which a node has one "
			"thread: leave --threads out, or use -np %d",
			options->threads, option, all <= CAPE_NODES_LIMIT ? all : CAPE_NODES_LIMIT);
}

static void say_what_is_not(const struct run_options *options)
{
	if (options->save_folder && options->save_points)
		inform("--every %dp: a run by threads is saved at ends of regions only; "
		       "--threads 1 saves inside them, too",
		       options->save_points);
	if (options->verify && options->nodes == 1)
		inform("--verify compares nodes with each other, and finds nothing with one node; "
		       "-np N makes N nodes");
}

/* HAS, of which each slot has so many PROCESSORS. */
static void spread(struct run_options *options, const struct slots *has, int processors)
{
	long each = (long)has->each * processors;
	/* Options of mpirun's want nodes that it starts. */
	bool of_one = wants_one(options, false) || options->threads == 1 ||
		      (has->machines == 1 && options->mpirun_count);

	options->nodes = has->all;
	if (of_one)
		return;
	if (options->threads) {
		options->each_machine = has->each && each == options->threads;
		options->nodes = options->each_machine ? has->machines : has->all;
	} else if (has->each && each <= THREADS_MOST) {
		options->each_machine = each > 1;
		options->nodes = has->machines;
		options->threads = (int)each;
	} else {
		options->threads = processors <= THREADS_MOST ? processors : 1;
	}
}

static void tell(const struct run_options *options, const char *of, const char *where)
{
	char each[32] = "";

	if (options->threads > 1)
		snprintf(each, sizeof(each), " of %d threads", options->threads);
	inform("%d node%s%s: the slots of %s%s", options->nodes, options->nodes == 1 ? "" : "s",
	       each, of, where);
}

bool threads_by_job(struct run_options *options, const struct allocation *allocation)
{
	char of[128];

	spread(options, &allocation->has, allocation->processors);
	if (options->nodes > CAPE_NODES_LIMIT)
		return complain("%s's job %s has %d slots, but there can be at most %d nodes; "
				"choose a number: -np N",
				allocation->manager, allocation->job, options->nodes,
				CAPE_NODES_LIMIT);
	snprintf(of, sizeof(of), "%s's job %.64s on ", allocation->manager, allocation->job);
	tell(options, of, allocation->machines);
	return true;
}

void threads_by_hosts(struct run_options *options)
{
	struct slots has;

	if (!hosts_count(options, &has))
		return;
	spread(options, &has, 1);
	if (options->nodes > CAPE_NODES_LIMIT)
		options->nodes = 0;
	else
		tell(options, "the machines that are named", "");
}

bool threads_settle(struct run_options *options)
{
	bool named = options->nodes > 0;
	const char *option;

	if (!named && options->hosts)
		return complain("the number of nodes is missing: say it (cape-run -np N program), "
				"or how many slots each machine has (slots=N in a host file)");
	if (!named)
		options->nodes = 1;
	option = wants_one(options, options->nodes == 1);
	if (options->threads > 1 && option)
		return refuse(options, option);
	if (options->nodes > 1 && options->nodes * (long)options->threads > TEAM_LIMIT)
		return complain("-np %d --threads %d: a team has %d threads at most",
				options->nodes, options->threads, TEAM_LIMIT);
	if (named && !options->threads)
		options->threads = 1;
	if (!named && !options->threads && option) {
		inform("one node of one thread, because %s does not allow more threads; -np N "
		       "makes N nodes",
		       option);
		options->threads = 1;
	}
	if (threads_has(options) || options->threads > 1)
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

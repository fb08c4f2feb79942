// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - gathers what all nodes, or this one's threads, have counted, and has it printed.
 */
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "channel/profile.h"
#include "common/clock.h"
#include "common/complain.h"
#include "gather.h"
#include "sum.h"
#include "tell.h"
#include "trace.h"
#include "wire/collective.h"
#include "system/ranges.h"

/* What all nodes exchange first. */
struct counts {
	uint64_t constructs, objects, events;
	uint64_t lost_constructs, lost_objects, lost_events;
	uint64_t zero;
	uint64_t exchange_took;
	char machine[40]; /* whose clock that is of */
};

/* Of all nodes, or of all threads of this one. */
struct gathering {
	struct node *node;
	bool threads;
	int nodes; /* or threads; 1 node: the run has failed, and the others do not take part */
	struct counts *counts;
	struct sum sum;
	struct trace_file trace;
};

/* What the program wrote must not lead out of the tables. */
static struct counts counts_of(struct cape_profile *profile)
{
	struct counts counts = {
		.constructs = cape_least(profile->constructs, CAPE_PROFILE_CONSTRUCTS),
		.objects = cape_least(profile->objects, CAPE_PROFILE_OBJECTS),
		.events = cape_least(profile->events, CAPE_PROFILE_EVENTS),
		.lost_constructs = profile->lost_constructs,
		.lost_objects = profile->lost_objects,
		.lost_events = profile->lost_events,
		.zero = profile->zero,
		.exchange_took = profile->exchange_took,
	};
	FILE *file;

	/* It was killed, or left without a word. */
	if (profile->since && profile->current < CAPE_PROFILE_CONSTRUCTS &&
	    profile->phase < CAPE_PHASES)
		cape_profile_add_up(profile, clock_now());
	file = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (file && !fgets(counts.machine, sizeof(counts.machine), file))
		counts.machine[0] = '\0';
	if (file)
		fclose(file);
	return counts;
}

static int take_construct(void *context, int node, uint64_t which, const void *item)
{
	struct gathering *gathering = context;

	return sum_construct(&gathering->sum, node, which, item);
}

static int take_object(void *context, int node, uint64_t which, const void *item)
{
	struct gathering *gathering = context;

	(void)which;
	return sum_object(&gathering->sum, node, item);
}

/* One clock on one machine; others are set by the moment when all programs had started. */
static int take_event(void *context, int node, uint64_t which, const void *item)
{
	struct gathering *gathering = context;
	const struct counts *counts = gathering->counts;
	bool same = strcmp(counts[node].machine, counts[0].machine) == 0;

	(void)which;
	trace_event(&gathering->trace, &gathering->sum, node, counts[same ? 0 : node].zero, item);
	return 0;
}

/* How many items of a list each node has, to be freed; it is at OFFSET in its counts. */
static uint64_t *items_of(const struct gathering *gathering, size_t offset)
{
	uint64_t *items = calloc((unsigned)gathering->nodes, sizeof(*items));

	for (int i = 0; items && i < gathering->nodes; i++)
		items[i] = *(const uint64_t *)((const char *)&gathering->counts[i] + offset);
	return items;
}

/* A list, at OFFSET in a profile, of items of SIZE bytes, whose number is at COUNT in its counts.
 */
struct list {
	size_t count, offset, size;
	gather_take take;
};

/* The list of NODE, which is this one, or one of its threads. */
static int take_own(struct gathering *gathering, const struct list *list, int node, uint64_t count)
{
	const char *item = (const char *)cape_channel_thread_profile(gathering->node->channel,
								     (unsigned)node) +
			   list->offset;
	int error = 0;

	for (uint64_t i = 0; !error && i < count; i++)
		error = list->take(gathering, node, i, item + i * list->size);
	return error;
}

static int gather_list(struct gathering *gathering, struct list list)
{
	const char *own = (const char *)cape_channel_profile(gathering->node->channel);
	uint64_t *items = items_of(gathering, list.count);
	int error = items ? 0 : -ENOMEM;

	if (items && !gathering->threads && !gathering->node->failed)
		error = gather(gathering->node->wire, own + list.offset, list.size, items,
			       list.take, gathering);
	else
		for (int i = 0; !error && i < gathering->nodes; i++)
			error = take_own(gathering, &list, i, items[i]);
	free(items);
	return error;
}

#define LIST(name, kind, take)                                                                     \
	gather_list(gathering, (struct list){offsetof(struct counts, name),                        \
					     offsetof(struct cape_profile, kind),                  \
					     sizeof(struct cape_profile_##kind), take})

/* What of the last exchange was waiting. */
static void settle(const struct gathering *gathering)
{
	struct cape_profile *profile = cape_channel_profile(gathering->node->channel);
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < gathering->nodes; i++)
		shortest = cape_least(shortest, gathering->counts[i].exchange_took);
	if (profile->exchange_construct < CAPE_PROFILE_CONSTRUCTS)
		cape_profile_settle(profile, shortest);
}

static int start_sum(struct gathering *gathering)
{
	uint64_t *items = items_of(gathering, offsetof(struct counts, constructs));
	int error = items ? sum_start(&gathering->sum, gathering->nodes, items) : -ENOMEM;

	free(items);
	return error;
}

static int gather_tables(struct gathering *gathering)
{
	int error = gathering->node->rank == 0 ? start_sum(gathering) : 0;

	if (!error)
		error = LIST(constructs, construct, take_construct);
	if (!error)
		error = LIST(objects, object, take_object);
	return error;
}

static int gather_trace(struct gathering *gathering)
{
	uint64_t lost = 0;
	int error;

	trace_begin(&gathering->trace, gathering->node, gathering->nodes, gathering->threads);
	error = LIST(events, event, take_event);
	for (int i = 0; i < gathering->nodes; i++)
		lost += gathering->counts[i].lost_events;
	trace_end(&gathering->trace, lost);
	return error;
}

static void tell(struct gathering *gathering)
{
	struct sum *sum = &gathering->sum;
	struct naming naming;

	sum->threads = gathering->threads;
	for (int i = 0; i < gathering->nodes; i++) {
		sum->lost_constructs += gathering->counts[i].lost_constructs;
		sum->lost_objects += gathering->counts[i].lost_objects;
	}
	sum_sort(sum);
	naming_open(&naming, gathering->node);
	if (gathering->node->options.profile == STATISTICS_JSON)
		tell_json(&naming, sum);
	else if (gathering->node->options.profile == STATISTICS_TABLE)
		tell_table(&naming, sum);
	naming_close(&naming);
	if (gathering->node->options.trace)
		trace_tell(&gathering->trace);
}

/* Of all nodes, unless the run has failed; 0 or -errno. */
static int count_nodes(struct gathering *gathering)
{
	struct node *node = gathering->node;
	struct counts own = counts_of(cape_channel_profile(node->channel));
	int error;

	gathering->counts[0] = own;
	if (node->failed)
		return 0;
	error = collective_gather_to_all(node->wire, &own, sizeof(own), gathering->counts);
	if (!error)
		settle(gathering);
	return error;
}

static int count_threads(struct gathering *gathering)
{
	for (int i = 0; i < gathering->nodes; i++)
		gathering->counts[i] = counts_of(
			cape_channel_thread_profile(gathering->node->channel, (unsigned)i));
	return 0;
}

static void gather_and_tell(struct node *node, int nodes)
{
	uint64_t threads = cape_channel_profile(node->channel)->threads;
	struct gathering gathering = {
		.node = node,
		.threads = threads > 0,
		.nodes = threads ? (int)cape_least(threads, CAPE_PROFILE_THREADS) : nodes,
	};
	int error = -ENOMEM;

	gathering.counts = calloc((size_t)gathering.nodes, sizeof(*gathering.counts));
	if (!gathering.counts)
		goto out;
	error = threads ? count_threads(&gathering) : count_nodes(&gathering);
	if (!error)
		error = gather_tables(&gathering);
	if (!error && node->options.trace)
		error = gather_trace(&gathering);
	if (!error && node->rank == 0)
		tell(&gathering);
out:
	if (error && node->rank == 0)
		complain("--profile: cannot gather what nodes counted: %s", strerror(-error));
	sum_free(&gathering.sum);
	free(gathering.counts);
}

void profile_tell(struct node *node)
{
	if (node->channel->flags & CAPE_CHANNEL_PROFILING)
		gather_and_tell(node, node->size);
}

void profile_tell_rest(struct node *node)
{
	if ((node->channel->flags & CAPE_CHANNEL_PROFILING) && node->rank == 0)
		gather_and_tell(node, 1);
}

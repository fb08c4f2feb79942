// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - gathers what all nodes have counted, and has it told.
 */
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "channel/profile.h"
#include "common/clock.h"
#include "gather.h"
#include "sum.h"
#include "tell.h"
#include "trace.h"
#include "wire/collective.h"

/* What all nodes tell each other first. */
struct counts {
	uint64_t constructs, objects, events;
	uint64_t lost_constructs, lost_objects, lost_events;
	uint64_t zero;
	uint64_t exchange_took;
	char machine[40]; /* whose clock that is of */
};

/* Of all nodes. */
struct gathering {
	struct node *node;
	int nodes; /* 1: the run has failed, and the others do not take part */
	struct counts *counts;
	struct sum sum;
	struct trace_file trace;
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What the program wrote must not lead out of the tables. */
static struct counts own_counts(const struct node *node)
{
	struct cape_profile *profile = cape_channel_profile(node->channel);
	struct counts counts = {
		.constructs = least(profile->constructs, CAPE_PROFILE_CONSTRUCTS),
		.objects = least(profile->objects, CAPE_PROFILE_OBJECTS),
		.events = least(profile->events, CAPE_PROFILE_EVENTS),
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

static int gather_list(struct gathering *gathering, size_t offset, const void *own, size_t size,
		       gather_take take)
{
	uint64_t *items = items_of(gathering, offset);
	int error = items ? 0 : -ENOMEM;

	if (items && !gathering->node->failed)
		error = gather(gathering->node->wire, own, size, items, take, gathering);
	else
		for (uint64_t i = 0; !error && i < items[0]; i++)
			error = take(gathering, 0, i, (const char *)own + i * size);
	free(items);
	return error;
}

#define LIST(name, kind, take)                                                                     \
	gather_list(gathering, offsetof(struct counts, name),                                      \
		    cape_channel_profile(gathering->node->channel)->kind,                          \
		    sizeof(struct cape_profile_##kind), take)

/* What of the last exchange was waiting. */
static void settle(const struct gathering *gathering)
{
	struct cape_profile *profile = cape_channel_profile(gathering->node->channel);
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < gathering->nodes; i++)
		shortest = least(shortest, gathering->counts[i].exchange_took);
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

	trace_begin(&gathering->trace, gathering->node, gathering->nodes);
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

	for (int i = 0; i < gathering->nodes; i++) {
		sum->lost_constructs += gathering->counts[i].lost_constructs;
		sum->lost_objects += gathering->counts[i].lost_objects;
	}
	sum_sort(sum);
	naming_open(&naming, gathering->node);
	if (gathering->node->options.profile == NODE_STATISTICS_JSON)
		tell_json(&naming, sum);
	else if (gathering->node->options.profile == NODE_STATISTICS_TABLE)
		tell_table(&naming, sum);
	naming_close(&naming);
	if (gathering->node->options.trace)
		trace_tell(&gathering->trace);
}

static void gather_and_tell(struct node *node, int nodes)
{
	struct gathering gathering = {.node = node, .nodes = nodes};
	struct counts own = own_counts(node);
	int error = -ENOMEM;

	gathering.counts = calloc((size_t)nodes, sizeof(*gathering.counts));
	if (!gathering.counts)
		goto out;
	gathering.counts[0] = own;
	error = node->failed
			? 0
			: collective_gather_to_all(node->wire, &own, sizeof(own), gathering.counts);
	if (!error)
		settle(&gathering);
	if (!error)
		error = gather_tables(&gathering);
	if (!error && node->options.trace)
		error = gather_trace(&gathering);
	if (!error && node->rank == 0)
		tell(&gathering);
out:
	if (error && node->rank == 0)
		fprintf(stderr, "cape-run: --profile: cannot gather what nodes counted: %s\n",
			strerror(-error));
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

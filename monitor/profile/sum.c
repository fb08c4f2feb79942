// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sum.c - adding nodes up: a construct is the same where its place is, memory where its name or its
 * address is.
 */
#include "sum.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "common/list.h"
#include "system/ranges.h"

bool sum_has(const struct sum_nodes *nodes, int node)
{
	return nodes->bits[node / 64] >> (node % 64) & 1;
}

static void add_node(struct sum_nodes *nodes, int node)
{
	nodes->count += !sum_has(nodes, node);
	nodes->bits[node / 64] |= 1ull << (node % 64);
}

const char *sum_word(const struct sum *sum)
{
	return sum->threads ? "thread" : "node";
}

int sum_start(struct sum *sum, int nodes, const uint64_t *count)
{
	*sum = (struct sum){.nodes = nodes};
	sum->index = calloc((size_t)nodes, sizeof(*sum->index));
	sum->length = calloc((size_t)nodes, sizeof(*sum->length));
	if (!sum->index || !sum->length)
		return -ENOMEM;
	for (int i = 0; i < nodes; i++) {
		sum->length[i] = count[i];
		sum->index[i] = calloc(count[i] + 1, sizeof(*sum->index[i]));
		if (!sum->index[i])
			return -ENOMEM;
	}
	return 0;
}

void sum_free(struct sum *sum)
{
	for (size_t i = 0; i < sum->count; i++)
		while (sum->construct[i].objects) {
			struct sum_object *object = sum->construct[i].objects;

			sum->construct[i].objects = object->next;
			free(object);
		}
	for (int i = 0; sum->index && i < sum->nodes; i++)
		free(sum->index[i]);
	free(sum->index);
	free(sum->length);
	free(sum->construct);
}

/* -- constructs ----------------------------------------------------------------------------- */

static bool is_same(const struct cape_profile_construct *a, const struct cape_profile_construct *b)
{
	return a->line == b->line && strcmp(a->file, b->file) == 0 && strcmp(a->what, b->what) == 0;
}

/* Nodes meet them in the same order, as a rule. */
static struct sum_construct *find_construct(struct sum *sum, uint64_t which,
					    const struct cape_profile_construct *construct)
{
	if (which < sum->count && is_same(&sum->construct[which].construct, construct))
		return &sum->construct[which];
	for (size_t i = 0; i < sum->count; i++)
		if (is_same(&sum->construct[i].construct, construct))
			return &sum->construct[i];
	return NULL;
}

static struct sum_construct *new_construct(struct sum *sum,
					   const struct cape_profile_construct *construct)
{
	struct sum_construct *list = list_room(sum->construct, sum->count, &sum->room,
					       sizeof(*list)),
			     *added;

	if (!list)
		return NULL;
	sum->construct = list;
	added = &list[sum->count++];
	*added = (struct sum_construct){.construct.line = construct->line};
	memcpy(added->construct.file, construct->file, sizeof(construct->file));
	memcpy(added->construct.what, construct->what, sizeof(construct->what));
	return added;
}

static void add_time(struct sum_time *time, int node, uint64_t value)
{
	time->all += value;
	if (value <= time->most)
		return;
	time->most = value;
	time->node = node;
}

int sum_construct(struct sum *sum, int node, uint64_t which,
		  const struct cape_profile_construct *construct)
{
	struct cape_profile_construct own = *construct;
	struct sum_construct *to;
	uint64_t total = 0;

	own.file[sizeof(own.file) - 1] = own.what[sizeof(own.what) - 1] = '\0';
	to = find_construct(sum, which, &own);
	if (!to)
		to = new_construct(sum, &own);
	if (!to)
		return -ENOMEM;
	sum->index[node][which] = (uint32_t)(to - sum->construct);
	for (int phase = 0; phase < CAPE_PHASES; phase++) {
		add_time(&to->time[phase], node, own.time[phase]);
		total += own.time[phase];
	}
	add_time(&to->total, node, total);
	to->times = cape_greatest(to->times, own.times);
	to->sync_points = cape_greatest(to->sync_points, own.sync_points);
	to->construct.sent_bytes += own.sent_bytes;
	to->construct.fetched_bytes += own.fetched_bytes;
	to->construct.fetches += own.fetches;
	for (int i = 0; i < CAPE_PLANNINGS; i++)
		to->construct.planning[i] =
			cape_greatest(to->construct.planning[i], own.planning[i]);
	return 0;
}

/* -- objects -------------------------------------------------------------------------------- */

static bool is_same_object(const struct cape_profile_object *a, const struct cape_profile_object *b)
{
	if (a->memory != b->memory || a->way != b->way || a->offset != b->offset ||
	    strcmp(a->name, b->name) != 0)
		return false;
	return a->name[0] || (a->pointer ? a->pointer == b->pointer : a->start == b->start);
}

struct sum_construct *sum_construct_of(const struct sum *sum, int node, uint64_t which)
{
	return which < sum->length[node] ? &sum->construct[sum->index[node][which]] : NULL;
}

int sum_object(struct sum *sum, int node, const struct cape_profile_object *object)
{
	struct cape_profile_object own = *object;
	struct sum_construct *construct = sum_construct_of(sum, node, own.construct);
	struct sum_object *to;

	own.name[sizeof(own.name) - 1] = '\0';
	if (!construct)
		return 0;
	for (to = construct->objects; to && !is_same_object(&to->object, &own); to = to->next)
		;
	if (!to) {
		to = calloc(1, sizeof(*to));
		if (!to)
			return -ENOMEM;
		to->object = own;
		to->object.stretches = to->object.fetches = to->object.whole = 0;
		memset(to->object.bytes, 0, sizeof(to->object.bytes));
		to->next = construct->objects;
		construct->objects = to;
	}
	to->object.size = cape_greatest(to->object.size, own.size);
	to->object.stretches += own.stretches;
	to->object.fetches += own.fetches;
	to->object.whole += own.whole;
	if (own.whole)
		add_node(&to->whole, node);
	for (int i = 0; i < CAPE_TRAFFICS; i++) {
		to->object.bytes[i] += own.bytes[i];
		if (own.bytes[i])
			add_node(&to->who[i], node);
	}
	return 0;
}

/* -- order ---------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct sum_construct *one = a, *other = b;

	if (one->total.all != other->total.all)
		return one->total.all < other->total.all ? 1 : -1;
	return one->construct.line - other->construct.line;
}

static uint64_t moved(const struct sum_object *object)
{
	uint64_t bytes = 0;

	for (int i = 0; i < CAPE_TRAFFICS; i++)
		bytes += object->object.bytes[i];
	return bytes;
}

/* By insertion: few. */
static struct sum_object *sorted(struct sum_object *list)
{
	struct sum_object *result = NULL;

	while (list) {
		struct sum_object *object = list, **at = &result;

		list = list->next;
		while (*at && moved(*at) >= moved(object))
			at = &(*at)->next;
		object->next = *at;
		*at = object;
	}
	return result;
}

void sum_sort(struct sum *sum)
{
	for (size_t i = 0; i < sum->count; i++)
		sum->construct[i].objects = sorted(sum->construct[i].objects);
	if (sum->count > 1)
		qsort(sum->construct + 1, sum->count - 1, sizeof(*sum->construct), by_time);
}

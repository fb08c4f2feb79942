// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * check_compare.c - the accesses of two nodes to one byte that nothing orders.
 *
 * All runs are sorted by where they begin; those that are alike but for their epoch are a group.
 * Of two groups that overlap, epochs are compared in the order of time: clocks only grow, so one
 * walk through both lists finds two of which neither precedes the other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "races/check_state.h"
#include "message/exchange.h"

#define FOUND_SLOTS (1u << 16)
#define FOUND_MOST  (FOUND_SLOTS / 2)

struct check_pairs {
	struct check_pair pair[FOUND_MOST];
	uint32_t count;
	uint32_t slot[FOUND_SLOTS]; /* number of a pair + 1, or 0 */
	struct access *all;	    /* room for what the nodes send, ... */
	const struct access **open;
};

/* A run, and whose it is. */
struct access {
	struct check_run run;
	uint32_t node;
	uint32_t lane;
	uint32_t alike; /* the first of a group: how many it has */
};

/* Everything that the nodes sent. */
struct compare {
	struct cape_runtime *runtime;
	struct check_pairs *pairs;
	struct access *all;
	uint64_t count;
	const uint32_t **epoch; /* by node */
};

int cape_check_compare_start(struct cape_runtime *runtime)
{
	struct check_pairs *pairs = cape_private_reserve(&runtime->private, sizeof(*pairs));

	if (!pairs)
		return -ENOMEM;
	pairs->all =
		cape_private_reserve(&runtime->private, CHECK_RUNS_LIMIT * sizeof(*pairs->all));
	pairs->open = cape_private_reserve(&runtime->private,
					   CHECK_RUNS_LIMIT * sizeof(const struct access *));
	runtime->check->found = pairs;
	return pairs->all && pairs->open ? 0 : -ENOMEM;
}

static int by_address(const void *left, const void *right)
{
	const struct access *a = left, *b = right;

	if (a->run.address != b->run.address)
		return a->run.address < b->run.address ? -1 : 1;
	if (a->run.length != b->run.length)
		return a->run.length < b->run.length ? -1 : 1;
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (a->run.place != b->run.place)
		return a->run.place < b->run.place ? -1 : 1;
	return a->run.epoch < b->run.epoch ? -1 : a->run.epoch > b->run.epoch;
}

/* One node's message, appended to all; its size was sent with it. */
static void gather(struct compare *compare, unsigned node)
{
	struct cape_runtime *runtime = compare->runtime;
	const struct cape_message *message = cape_exchange_message(runtime, node);
	const unsigned char *at = cape_message_get(message, CAPE_SECTION_FREE);
	uint64_t size = message->size[CAPE_SECTION_FREE];
	uint64_t stride = cape_check_stride(&runtime->check->clocks);
	struct check_message head = {0};
	const struct check_run *run;
	uint32_t lane;

	if (size >= sizeof(head))
		memcpy(&head, at, sizeof(head));
	if (head.runs > CHECK_RUNS_LIMIT - compare->count || head.epochs > CHECK_EPOCHS_LIMIT ||
	    size != cape_check_message_size(stride, head.epochs, head.runs))
		cape_fail(runtime, 0, "--check-races: the accesses of node %u are malformed", node);
	compare->epoch[node] = (const uint32_t *)(at + sizeof(head));
	run = (const struct check_run *)(at + size - head.runs * sizeof(*run));
	for (uint64_t i = 0; i < head.runs; i++) {
		if (run[i].epoch >= head.epochs)
			cape_fail(runtime, 0, "--check-races: an access of node %u is in no epoch",
				  node);
		lane = compare->epoch[node][run[i].epoch * stride + stride - 1];
		compare->all[compare->count++] =
			(struct access){run[i], node, lane % (uint32_t)(stride - 1), 0};
	}
}

static bool is_alike(const struct access *a, const struct access *b)
{
	return a->run.address == b->run.address && a->run.length == b->run.length &&
	       a->lane == b->lane && a->run.place == b->run.place;
}

static void group(struct compare *compare)
{
	for (uint64_t i = 0; i < compare->count; i += compare->all[i].alike) {
		uint64_t end = i + 1;

		while (end < compare->count && is_alike(&compare->all[i], &compare->all[end]))
			end++;
		compare->all[i].alike = (uint32_t)(end - i);
	}
}

/* What the epoch of A has heard of LANE. */
static uint32_t heard(const struct compare *compare, const struct access *a, uint32_t lane)
{
	uint64_t stride = cape_check_stride(&compare->runtime->check->clocks);

	return compare->epoch[a->node][a->run.epoch * stride + lane];
}

static bool precedes(const struct compare *compare, const struct access *a, const struct access *b)
{
	return heard(compare, b, a->lane) >= heard(compare, a, a->lane);
}

static bool is_unordered(const struct compare *compare, const struct access *a,
			 const struct access *b)
{
	const struct access *a_end = a + a->alike, *b_end = b + b->alike;

	while (a < a_end && b < b_end) {
		if (precedes(compare, a, b))
			a++;
		else if (precedes(compare, b, a))
			b++;
		else
			return true;
	}
	return false;
}

static bool can_conflict(const struct access *a, const struct access *b)
{
	uint64_t both = a->run.place & b->run.place, any = a->run.place | b->run.place;

	return a->lane != b->lane && (any & CAPE_CONFLICT_WRITE) && !(both & CAPE_CONFLICT_ATOMIC);
}

/* Where the pair of places is, or could be, in the table. */
static uint32_t *slot_of(struct check_pairs *pairs, uint64_t a, uint64_t b)
{
	uint64_t hash = (a * 31 + b) * 0x9e3779b97f4a7c15ull;
	uint32_t slot = (uint32_t)(hash >> 32) % FOUND_SLOTS;

	for (; pairs->slot[slot]; slot = (slot + 1) % FOUND_SLOTS) {
		const struct check_pair *pair = &pairs->pair[pairs->slot[slot] - 1];

		if (pair->place[0] == a && pair->place[1] == b)
			break;
	}
	return &pairs->slot[slot];
}

static void meet(struct compare *compare, const struct access *a, const struct access *b)
{
	struct check_pairs *pairs = compare->pairs;
	const struct access *other;
	uint32_t *slot;

	if (!can_conflict(a, b))
		return;
	if (a->run.place > b->run.place) {
		other = a;
		a = b;
		b = other;
	}
	slot = slot_of(pairs, a->run.place, b->run.place);
	if (*slot || pairs->count == FOUND_MOST || !is_unordered(compare, a, b))
		return;
	pairs->pair[pairs->count] = (struct check_pair){
		.place = {a->run.place, b->run.place},
		.node = {a->node, b->node},
		.address = a->run.address > b->run.address ? a->run.address : b->run.address,
	};
	*slot = ++pairs->count;
}

/* Every group meets those that began before it and have not ended. */
static void sweep(struct compare *compare, const struct access **open)
{
	uint64_t opened = 0;

	for (uint64_t i = 0; i < compare->count; i += compare->all[i].alike) {
		const struct access *access = &compare->all[i];
		uint64_t remaining = 0;

		for (uint64_t k = 0; k < opened; k++) {
			if (open[k]->run.address + open[k]->run.length <= access->run.address)
				continue;
			meet(compare, open[k], access);
			open[remaining++] = open[k];
		}
		open[remaining++] = access;
		opened = remaining;
	}
}

const struct check_pair *cape_check_pairs(const struct cape_runtime *runtime)
{
	return runtime->check->found->pair + runtime->check->found->count;
}

uint64_t cape_check_compare(struct cape_runtime *runtime)
{
	struct check_pairs *found = runtime->check->found;
	const uint32_t **epoch = __builtin_alloca(runtime->nodes * sizeof(*epoch));
	struct compare compare = {
		.runtime = runtime, .pairs = found, .all = found->all, .epoch = epoch};
	uint32_t before = found->count;

	for (unsigned node = 0; node < runtime->nodes; node++)
		gather(&compare, node);
	qsort(compare.all, compare.count, sizeof(*compare.all), by_address);
	group(&compare);
	sweep(&compare, found->open);
	return found->count - before;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff.c - diff: where the memory of two checkpoints differs; equal: whether they are the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "command.h"
#include "content.h"
#include "label.h"
#include "print.h"
#include "system/ranges.h"

struct comparison {
	const struct order *order;
	struct content content[2];
	struct content_cursor cursor[2];
	struct cape_runs runs[2];
	struct label label;
	struct print_list list;
	uint64_t alone[2]; /* bytes that one alone has */
	uint64_t differ;
};

static bool comparison_start(struct comparison *comparison, const struct order *order)
{
	*comparison = (struct comparison){.order = order};
	if (!content_read(&comparison->content[0], order->file[0]))
		return false;
	if (!content_read(&comparison->content[1], order->file[1])) {
		content_free(&comparison->content[0]);
		return false;
	}
	for (int i = 0; i < 2; i++) {
		comparison->cursor[i].checkpoint = &comparison->content[i].checkpoint;
		comparison->list.side[i] = &comparison->cursor[i];
		cape_runs_init(&comparison->runs[i], &cape_memory_heap);
	}
	label_open(&comparison->label, comparison->content[0].reader);
	comparison->list.label = &comparison->label;
	comparison->list.json = order->json;
	return true;
}

static void comparison_end(struct comparison *comparison)
{
	for (int i = 0; i < 2; i++) {
		cape_runs_free(&comparison->runs[i]);
		content_free(&comparison->content[i]);
	}
	label_close(&comparison->label);
}

/* One side alone has the memory from ADDRESS to END. */
static void tell_alone(struct comparison *comparison, int side, uint64_t address, uint64_t end)
{
	char size[PRINT_SIZE];

	comparison->alone[side] += end - address;
	if (comparison->order->brief)
		return;
	if (!comparison->order->json)
		printf("only in %s: %s at %#" PRIx64 "\n", comparison->order->file[side],
		       print_size(end - address, size), address);
	while (address < end)
		address = print_element(&comparison->list, address, end);
}

/* Both have it. */
static void compare_bytes(struct comparison *comparison, uint64_t address, uint64_t end)
{
	const unsigned char *a = content_bytes(&comparison->cursor[0], address, end - address);
	const unsigned char *b = content_bytes(&comparison->cursor[1], address, end - address);
	uint64_t shown = address;

	for (uint64_t at = address; a && b && at < end; at++) {
		if (a[at - address] == b[at - address])
			continue;
		comparison->differ++;
		if (at >= shown && !comparison->order->brief)
			shown = print_element(&comparison->list, at, end);
	}
}

/* What is left of one side's runs. */
struct rest {
	const struct cape_runs *runs;
	size_t next;
	uint64_t start, end; /* equal: there is no more */
};

static void load(struct rest *rest)
{
	rest->start = rest->end = UINT64_MAX;
	if (rest->next == rest->runs->count)
		return;
	rest->start = rest->runs->run[rest->next].address;
	rest->end = rest->start + rest->runs->run[rest->next].length;
	rest->next++;
}

static void pass(struct rest *rest, uint64_t end)
{
	if (rest->start < end)
		rest->start = end;
	if (rest->start == rest->end)
		load(rest);
}

static void compare_memory(struct comparison *comparison)
{
	struct rest a = {.runs = &comparison->runs[0]}, b = {.runs = &comparison->runs[1]};

	load(&a);
	load(&b);
	while (a.start < a.end || b.start < b.end) {
		uint64_t start = cape_least(a.start, b.start), end;

		if (a.start == b.start) {
			end = cape_least(a.end, b.end);
			compare_bytes(comparison, start, end);
		} else if (a.start < b.start) {
			end = cape_least(a.end, b.start);
			tell_alone(comparison, 0, start, end);
		} else {
			end = cape_least(b.end, a.start);
			tell_alone(comparison, 1, start, end);
		}
		pass(&a, end);
		pass(&b, end);
	}
}

static bool same_rest(const struct comparison *comparison)
{
	const struct cape_checkpoint *a = &comparison->content[0].checkpoint;
	const struct cape_checkpoint *b = &comparison->content[1].checkpoint;

	return a->registers.size == b->registers.size && a->values.size == b->values.size &&
	       (!a->registers.size ||
		memcmp(a->registers.bytes, b->registers.bytes, a->registers.size) == 0) &&
	       (!a->values.size || memcmp(a->values.bytes, b->values.bytes, a->values.size) == 0);
}

static void tell_sums(const struct comparison *comparison, bool rest)
{
	const struct order *order = comparison->order;
	char size[3][PRINT_SIZE];

	if (order->json) {
		printf("], \"only_a_bytes\": %" PRIu64 ", \"only_b_bytes\": %" PRIu64
		       ", \"different_bytes\": %" PRIu64 ", \"registers_and_reductions\": %s}\n",
		       comparison->alone[0], comparison->alone[1], comparison->differ,
		       rest ? "\"same\"" : "\"different\"");
		return;
	}
	if (comparison->differ || comparison->alone[0] || comparison->alone[1])
		printf("%s and %s: %s differ, %s only in the first, %s only in the second\n",
		       order->file[0], order->file[1], print_size(comparison->differ, size[0]),
		       print_size(comparison->alone[0], size[1]),
		       print_size(comparison->alone[1], size[2]));
	if (!rest)
		printf("%s and %s: registers or reductions differ\n", order->file[0],
		       order->file[1]);
}

int command_diff(const struct order *order)
{
	struct comparison comparison;
	int status = STATUS_TROUBLE;
	bool rest;

	if (!comparison_start(&comparison, order))
		return STATUS_TROUBLE;
	if (content_runs(&comparison.content[0].checkpoint, &comparison.runs[0]) &&
	    content_runs(&comparison.content[1].checkpoint, &comparison.runs[1])) {
		printf(order->json ? "{\"differences\": [" : "");
		compare_memory(&comparison);
		rest = same_rest(&comparison);
		tell_sums(&comparison, rest);
		status = comparison.differ || comparison.alone[0] || comparison.alone[1] || !rest
				 ? STATUS_DIFFERENT
				 : STATUS_SAME;
	}
	comparison_end(&comparison);
	return status;
}

int command_equal(const struct order *order)
{
	struct comparison comparison;
	bool same;

	if (!comparison_start(&comparison, order))
		return STATUS_TROUBLE;
	same = cape_checkpoint_equal(&comparison.content[0].checkpoint,
				     &comparison.content[1].checkpoint);
	comparison_end(&comparison);
	if (order->json)
		printf("{\"equal\": %s}\n", same ? "true" : "false");
	else if (!order->brief)
		printf("%s and %s are %s\n", order->file[0], order->file[1],
		       same ? "equal" : "not equal");
	return same ? STATUS_SAME : STATUS_DIFFERENT;
}

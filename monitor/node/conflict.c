/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conflict.c - naming the memory of a data race and showing its values by debug information; where
 * there is none, by the symbol table and in hexadecimal.
 */
#include "conflict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/complain.h"
#include "debug/debug_info.h"
#include "debug/symbol.h"

#define RACES_STATUS 66 /* ThreadSanitizer's, too */

/* One conflict on its way to the user. */
struct report {
	const struct node *node;
	const struct cape_conflict *conflict;
	struct debug_info info;
	bool known;		/* to the debug information */
	bool typed;		/* PART is known */
	struct debug_part part; /* what the byte belongs to */
	char name[256];
	char memory[384]; /* the name, and where it comes from */
	char value[2][160];
};

static const char no_types[] = "; build with -g to see names and values by their types";

static uint64_t in_file(const struct report *report, uint64_t address)
{
	return address - report->node->channel->load_bias;
}

static bool automatic(const struct report *report, struct debug_variable *variable)
{
	const struct cape_channel_state *state = &report->node->channel->state;

	return debug_variable_named(&report->info, report->conflict->name, state->file, state->line,
				    variable);
}

static void name_variable(struct report *report, struct debug_variable *variable, const char *name,
			  uint64_t offset, bool known)
{
	snprintf(report->name, sizeof(report->name), "%s", name);
	report->known = report->typed = known;
	if (known) {
		debug_part_of(&variable->type, offset, report->name, sizeof(report->name),
			      &report->part);
		snprintf(report->memory, sizeof(report->memory),
			 "variable '%s' (declared at %s:%d)", report->name, variable->file,
			 variable->line);
	} else if (offset) {
		snprintf(report->memory, sizeof(report->memory), "variable '%s' + %llu", name,
			 (unsigned long long)offset);
	} else {
		snprintf(report->memory, sizeof(report->memory), "variable '%s'", name);
	}
}

static void name_static(struct report *report)
{
	uint64_t address = in_file(report, report->conflict->address);
	struct debug_variable variable;
	struct symbol symbol;

	if (symbol_find(report->node->options.program, 0, address, &symbol))
		name_variable(report, &variable, symbol.name, address - symbol.start,
			      debug_variable_at(&report->info, symbol.start, &variable));
	else
		snprintf(report->memory, sizeof(report->memory), "memory at %#llx",
			 (unsigned long long)report->conflict->address);
}

/* The pointer that leads to the block, or false. */
static bool find_pointer(struct report *report, struct debug_variable *pointer, uint64_t *offset)
{
	const struct cape_conflict *conflict = report->conflict;
	struct symbol symbol;

	*offset = 0;
	if (conflict->name[0]) {
		snprintf(report->name, sizeof(report->name), "%s", conflict->name);
		return automatic(report, pointer);
	}
	if (!conflict->pointer || !symbol_find(report->node->options.program, 0,
					       in_file(report, conflict->pointer), &symbol))
		return false;
	*offset = in_file(report, conflict->pointer) - symbol.start;
	snprintf(report->name, sizeof(report->name), "%s", symbol.name);
	return debug_variable_at(&report->info, symbol.start, pointer);
}

/* a[3], or a[3][5] where a[3] is a pointer of another block. */
static bool name_element(struct report *report)
{
	const struct cape_conflict *conflict = report->conflict;
	struct debug_variable pointer;
	struct debug_part part = {.size = 0};
	Dwarf_Die target;
	uint64_t offset;

	if (!find_pointer(report, &pointer, &offset))
		return false;
	debug_part_of(&pointer.type, offset, report->name, sizeof(report->name), &part);
	if (!part.size || !debug_pointed_to(&part.type, &target))
		return false;
	if (conflict->indirect) {
		debug_part_pointed_to(&target, conflict->index, report->name, sizeof(report->name),
				      &part);
		if (!debug_pointed_to(&part.type, &target))
			return false;
	}
	debug_part_pointed_to(&target, conflict->address - conflict->start, report->name,
			      sizeof(report->name), &report->part);
	return true;
}

static void name_heap(struct report *report)
{
	const struct cape_conflict *conflict = report->conflict;
	char site[128] = "", what[280];
	bool known = conflict->site &&
		     debug_line(&report->info, in_file(report, conflict->site), site, sizeof(site));

	report->typed = name_element(report);
	report->known = known || report->typed;
	if (!conflict->size) {
		snprintf(report->memory, sizeof(report->memory), "the heap at %#llx",
			 (unsigned long long)conflict->address);
		return;
	}
	if (report->typed)
		snprintf(what, sizeof(what), "'%s'", report->name);
	else
		snprintf(what, sizeof(what), "byte %llu",
			 (unsigned long long)((conflict->address - conflict->start) & ~3ull));
	snprintf(report->memory, sizeof(report->memory), "%s in the block of %llu bytes%s%s", what,
		 (unsigned long long)conflict->size, known ? " allocated at " : "", site);
}

static void name_memory(struct report *report)
{
	const struct cape_conflict *conflict = report->conflict;
	struct debug_variable variable;

	switch (conflict->memory) {
	case CAPE_CONFLICT_AUTOMATIC:
		name_variable(report, &variable, conflict->name,
			      conflict->address - conflict->start, automatic(report, &variable));
		break;
	case CAPE_CONFLICT_HEAP:
		name_heap(report);
		break;
	case CAPE_CONFLICT_STACK:
		report->known = true;
		snprintf(report->memory, sizeof(report->memory),
			 "the stack of the region's callers, at %#llx",
			 (unsigned long long)conflict->address);
		break;
	default:
		name_static(report);
		break;
	}
}

/* Both sides' values: of the part, or, where no type is known, of the aligned word. */
static void show_values(struct report *report)
{
	const struct cape_conflict *conflict = report->conflict;
	uint64_t at = conflict->address % CAPE_CONFLICT_WINDOW, size = report->part.size;
	uint64_t before = report->part.before;

	if (!report->typed || !size || before > at || at - before < conflict->window ||
	    at - before + size > conflict->window_end) {
		report->typed = false;
		size = at / 4 * 4 + 4 <= conflict->window_end ? 4 : 1;
		before = size == 4 && at / 4 * 4 >= conflict->window ? at % 4 : 0;
	}
	for (int i = 0; i < 2; i++) {
		const unsigned char *value = &conflict->side[i].value[at - before];
		unsigned number = 0;

		if (report->typed) {
			debug_show(&report->part.type, value, size, report->value[i],
				   sizeof(report->value[i]));
			continue;
		}
		memcpy(&number, value, size);
		snprintf(report->value[i], sizeof(report->value[i]), "%#x", number);
	}
}

/* What a damaged program wrote must not lead out of its bounds. */
static struct cape_conflict checked(const struct cape_conflict *given)
{
	struct cape_conflict conflict = *given;

	conflict.name[sizeof(conflict.name) - 1] = '\0';
	if (conflict.window_end > CAPE_CONFLICT_WINDOW)
		conflict.window_end = CAPE_CONFLICT_WINDOW;
	return conflict;
}

/* What two nodes have changed, of which no more is known than that. */
static void describe_changes(const struct node *node, char *text, size_t size)
{
	struct cape_conflict conflict = checked(&node->channel->conflict);
	struct report report = {.node = node, .conflict = &conflict};
	const struct cape_conflict_side *side = report.conflict->side;
	const struct cape_channel_state *state = &node->channel->state;
	bool equal;

	debug_info_open(&report.info, node->options.program);
	name_memory(&report);
	show_values(&report);
	debug_info_close(&report.info);
	equal = strcmp(report.value[0], report.value[1]) == 0;
	snprintf(text, size,
		 "at or before %s:%d nodes %u and %u changed %s with nothing that orders them: "
		 "%s%s%s%s",
		 state->file, state->line, side[0].node, side[1].node, report.memory,
		 equal ? "both wrote " : report.value[0], equal ? "" : " and ", report.value[1],
		 report.known ? "" : no_types);
}

void conflict_end(struct node *node)
{
	char text[CONFLICT_TEXT];

	describe_changes(node, text, sizeof(text));
	node_fail(node, 1, "--races: %s", text);
}

bool conflict_left(const struct node *node, char *text, size_t size)
{
	if (!node->channel->unreported)
		return false;
	describe_changes(node, text, size);
	return true;
}

/* What was said, for that it is said once. */
struct said {
	struct said *next;
	char text[];
};

static bool is_new(struct node *node, const char *text)
{
	struct said *said = node->said;

	while (said && strcmp(said->text, text) != 0)
		said = said->next;
	if (said)
		return false;
	said = malloc(sizeof(*said) + strlen(text) + 1);
	if (said) {
		strcpy(said->text, text);
		said->next = node->said;
		node->said = said;
	}
	return true;
}

static const char *verb(const struct cape_conflict_side *side)
{
	static const char *const name[] = {"reads", "writes", "reads (atomic)", "writes (atomic)"};

	return name[side->access & 3];
}

static void show_place(const struct report *report, const struct cape_conflict_side *side,
		       char *text, size_t size)
{
	if (!debug_line(&report->info, in_file(report, side->code), text, size))
		snprintf(text, size, "%#llx", (unsigned long long)in_file(report, side->code));
}

/* Both places, and the variable without its part: what makes a race one of its own. */
static void identify(const struct report *report, char place[2][128], char *text, size_t size)
{
	const struct cape_conflict_side *side = report->conflict->side;
	int order = strcmp(place[0], place[1]);
	int first = order ? order > 0 : side[0].access > side[1].access;

	snprintf(text, size, "%s %s %s %s %.*s", place[first], verb(&side[first]), place[!first],
		 verb(&side[!first]), (int)strcspn(report->name, "[."), report->name);
}

void conflict_race(struct node *node)
{
	struct cape_conflict conflict = checked(&node->channel->conflict);
	struct report report = {.node = node, .conflict = &conflict};
	const struct cape_conflict_side *side = conflict.side;
	const struct cape_channel_state *state = &node->channel->state;
	char place[2][128], identity[768];

	debug_info_open(&report.info, node->options.program);
	name_memory(&report);
	show_values(&report);
	for (int i = 0; i < 2; i++)
		show_place(&report, &side[i], place[i], sizeof(place[i]));
	debug_info_close(&report.info);
	identify(&report, place, identity, sizeof(identity));
	if (!is_new(node, identity))
		return;
	node->races++;
	complain("race: node %u %s at %s and %snode %u %s at %s: %s; nothing orders the two; at "
		 "%s:%d it is %s on node %u and %s on node %u",
		 side[0].node, verb(&side[0]), place[0],
		 side[0].node == side[1].node ? "another task of " : "", side[1].node,
		 verb(&side[1]), place[1], report.memory, state->file, state->line, report.value[0],
		 side[0].node, report.value[1], side[1].node);
}

int conflict_status(struct node *node, int status)
{
	while (node->said) {
		struct said *said = node->said;

		node->said = said->next;
		free(said);
	}
	if (!node->races)
		return status;
	complain("%u data race%s", node->races, node->races == 1 ? "" : "s");
	return status ? status : RACES_STATUS;
}

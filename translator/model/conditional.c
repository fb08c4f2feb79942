/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conditional.c - writes that are made or not, by what is not known before the loop. */
#include "conditional.h"

#include "access.h"
#include "described.h"
#include "value.h"

/* The part around ACCESS that is described, if its place is the same for all between; or NULL. */
static struct part_of_set *around_all(const struct part_of_set *access)
{
	struct part_of_set *around = access->around;

	for (; around && !around->described; around = around->around)
		if (around->kind == PART_LOOP && value_has(access->object, around->iterator))
			return NULL;
	return around;
}

/* Whether such a part is in AROUND. */
static bool has(const struct part_of_set *around, enum access_set set, const struct syntax *object,
		const char *text)
{
	for (size_t i = 0; i < around->parts.count; i++) {
		const struct part_of_set *part = around->parts.items[i];

		if (part->instead && part->set == set && access_is_of(part, object, text))
			return true;
	}
	return false;
}

static void add(const struct walk *walk, struct part_of_set *around, struct part_of_set what)
{
	struct part_of_set *part;

	if (has(around, what.set, what.object, what.text))
		return;
	part = memory_new(sizeof *part);
	*part = what;
	part->kind = PART_ACCESS;
	part->alike = part->described = part->instead = true;
	part->around = around;
	*list_add(&around->parts) = part;
	*list_add(&walk->sets->memory) = part;
}

struct deciders {
	const struct walk *walk;
	struct part_of_set *around;
	unsigned int offset;
};

/* MEMORY decides on the place: it is read before the loop. */
static bool add_decider(void *context, const struct syntax *memory)
{
	const struct deciders *deciders = context;
	struct part_of_set what = {
		.set = SET_INDEX,
		.object = memory,
		.text = access_key(deciders->walk, memory),
		.offset = deciders->offset,
		.guards = true,
	};

	if (memory->kind == SYNTAX_VARIABLE && walk_is_own(deciders->walk, memory))
		return false;
	what.early = described_early(memory, true);
	if (what.early)
		add(deciders->walk, deciders->around, what);
	return false;
}

bool conditional_write(const struct walk *walk, struct part_of_set *access)
{
	struct part_of_set *around = around_all(access);
	struct deciders deciders = {walk, around, access->offset};

	if (!around || !access->alike || walk->in_pipeline ||
	    !described_place(walk, access->object, true))
		return false;
	access->has_other = true;
	access_each_in_address(access->object, add_decider, &deciders);
	add(walk, around,
	    (struct part_of_set){.set = SET_MAY_WRITE,
				 .object = access->object,
				 .text = access->text,
				 .offset = access->offset,
				 .guards = true});
	return true;
}

bool conditional_read(const struct part_of_set *access)
{
	const struct part_of_set *around = around_all(access);

	return around && (has(around, SET_MAY_WRITE, access->object, access->text) ||
			  has(around, SET_INDEX, access->object, access->text));
}

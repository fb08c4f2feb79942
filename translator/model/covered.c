/* SPDX-License-Identifier: GPL-2.0-or-later */
/* covered.c - whether #pragma cape has what is not known of an access. */
#include "covered.h"

#include <string.h>

#include "read/unit.h"

const struct syntax *covered_base(const struct syntax *object)
{
	while (object && object->kind != SYNTAX_VARIABLE)
		object = !object->count ? NULL
			 : object->kind == SYNTAX_BINARY && object->parts[0] &&
					 object->parts[0]->type.kind == TYPE_INTEGER
				 ? object->parts[1]
				 : object->parts[0];
	return object;
}

bool covered_access(const struct walk *walk, enum access_set set, const struct syntax *object)
{
	const struct said *said = walk->directive->said;
	enum said_set needed = set == SET_WRITE || set == SET_MAY_WRITE ? SAID_WRITES : SAID_READS;
	const struct syntax *base = covered_base(object);

	if (!said || walk->in_pipeline || !said->has[needed])
		return false;
	if (!base)
		return true;
	for (size_t i = 0; i < said->items.count; i++) {
		const struct said_item *item = &said->items.items[i];

		if (item->set == needed && item->base &&
		    item->base->declaration == base->declaration)
			return true;
	}
	return false;
}

bool covered_all(const struct walk *walk)
{
	const struct said *said = walk->directive->said;

	return said && !walk->in_pipeline && said->has[SAID_READS] && said->has[SAID_WRITES];
}

void covered_note(const struct walk *walk, struct range at, const char *why)
{
	struct sets *sets = walk->sets;

	for (size_t i = 0; i < sets->said.count; i++)
		if (sets->said.items[i].offset == at.from)
			return;
	*list_add(&sets->said) = (struct unknown){
		.offset = at.from,
		.end = at.to,
		.why = syntax_word(&walk->unit->syntax, why, strlen(why)),
	};
}

void covered_replace(const struct walk *walk, struct part_of_set *part, const char *why)
{
	struct part_of_set *around = part->around;
	size_t kept = 0;

	for (size_t i = 0; i < around->parts.count; i++)
		if (around->parts.items[i] != part)
			around->parts.items[kept++] = around->parts.items[i];
	around->parts.count = kept;
	part->replaced = true;
	covered_note(walk, part->object->range, why);
}

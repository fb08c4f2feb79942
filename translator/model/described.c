/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * described.c - which accesses of a loop every node can describe before it runs.
 *
 * What is written must be: every node describes it for all.  Something that is read need not be:
 * then the node gets all of the variable, or what it comes to by page faults.
 */
#include "described.h"

#include "access.h"
#include "alike.h"
#include "conditional.h"
#include "covered.h"
#include "gap.h"
#include "read/directive_facts.h"
#include "read/unit.h"
#include "value.h"

static bool is_by_pointer(void *context, const struct syntax *memory)
{
	(void)context;
	return memory->kind != SYNTAX_VARIABLE && !access_root(memory);
}

/*
 * Whether MEMORY has no place before the loop, or none that is sure: where that is said by what a
 * pointer leads to, and the loop itself, which is GUARDED, may not look at it.  What is on the
 * stack is on every node.
 */
static bool memory_is_late(void *guarded, const struct syntax *memory)
{
	if (memory->kind == SYNTAX_VARIABLE && memory->automatic)
		return false;
	return value_has_any(memory) ||
	       (*(const bool *)guarded && access_each_in_address(memory, is_by_pointer, NULL));
}

/* The same, but that pointers are looked at where control comes to what they lead to. */
static bool memory_stays_late(void *guarded, const struct syntax *memory)
{
	return !value_is_row(memory) && memory_is_late(guarded, memory);
}

bool described_place(const struct walk *walk, const struct syntax *object, bool guarded)
{
	return !access_each_in_address(
		object, walk->in_pipeline ? memory_is_late : memory_stays_late, &guarded);
}

static bool is_write(const struct part_of_set *part)
{
	return part->kind == PART_ACCESS && (part->set == SET_WRITE || part->set == SET_MAY_WRITE);
}

static bool is_late(const struct syntax *value, bool guarded)
{
	return value && access_each_decider(value, memory_is_late, &guarded);
}

bool described_early(const struct syntax *object, bool guarded)
{
	return !is_late(object, guarded);
}

/* Whether PART, which is no access, says something that is late. */
static bool part_is_late(const struct sets *sets, const struct part_of_set *part, bool guarded)
{
	const struct iterator *iterator = &sets->iterators.items[part->iterator];

	if (part->kind == PART_IF)
		return is_late(part->condition, guarded);
	return part->kind == PART_LOOP &&
	       (is_late(iterator->first, guarded) || is_late(iterator->limit, guarded) ||
		is_late(iterator->step, guarded));
}

/* -- lists ------------------------------------------------------------------------------------- */

/* Whether MEMORY, which decides, cannot be read word by word, or each thread has its own. */
static bool is_no_word(void *walk, const struct syntax *memory)
{
	return memory->type.kind != TYPE_ARRAY &&
	       (!value_is_word(memory) || memory->type.variable_size ||
		(memory->kind != SYNTAX_VARIABLE && access_is_own(walk, memory)));
}

/* Whether something is divided by what may be 0 where the loop does not come to it. */
static bool divides(const struct syntax *value)
{
	if (value->kind == SYNTAX_BINARY && (*value->word == '/' || *value->word == '%') &&
	    value->parts[1]->kind != SYNTAX_NUMBER)
		return true;
	for (unsigned int i = 0; i < value->count; i++)
		if (divides(value->parts[i]))
			return true;
	return false;
}

static bool can_be_read(const struct walk *walk, const struct syntax *value)
{
	return !value || (!divides(value) && !access_each_decider(value, is_no_word, (void *)walk));
}

/* Whether each node can find PART's accesses by itself. */
static bool can_be_listed(const struct walk *walk, const struct part_of_set *part)
{
	const struct iterator *iterator = &walk->sets->iterators.items[part->iterator];

	if (!part->alike)
		return false;
	if (part->kind == PART_ACCESS)
		return !divides(part->object) &&
		       !access_each_in_address(part->object, is_no_word, (void *)walk);
	if (part->kind == PART_LOOP)
		return can_be_read(walk, iterator->first) && can_be_read(walk, iterator->limit) &&
		       can_be_read(walk, iterator->step);
	return can_be_read(walk, part->condition);
}

/* Whether the loop itself writes to elements beside MEMORY. */
static bool is_beside_written(void *context, const struct syntax *memory)
{
	const struct sets *sets = context;

	for (size_t i = 0; i < sets->memory.count; i++) {
		const struct part_of_set *part = sets->memory.items[i];

		if (is_write(part) && !part->replaced && memory->kind == SYNTAX_ELEMENT &&
		    part->object->kind == SYNTAX_ELEMENT &&
		    value_is_same(memory->parts[0], part->object->parts[0]))
			return true;
	}
	return false;
}

/* The run time notes what it looks up: nothing else is said of that. */
static void find_looked_up(struct sets *sets, struct part_of_set *part)
{
	part->looked_up = part->set == SET_INDEX;
	for (size_t i = 0; i < sets->memory.count && !part->looked_up; i++) {
		const struct part_of_set *other = sets->memory.items[i];

		part->looked_up = other->kind == PART_ACCESS && other->set == SET_INDEX &&
				  other->around == part->around && !other->replaced &&
				  access_is_of(other, part->object, part->text);
	}
}

/* -- what every node can describe -------------------------------------------------------------- */

static void note_late(struct sets *sets, const struct part_of_set *part)
{
	const char *why = part->alike ? "whether or where it is written depends on memory that "
					"the loop may not look at before it begins"
				      : "whether or where it is written depends on what each "
					"thread has of its own";

	sets->writes_described = false;
	for (size_t i = 0; i < sets->late.count; i++)
		if (sets->late.items[i].offset == part->object->range.from)
			return;
	*list_add(&sets->late) = (struct unknown){
		.offset = part->object->range.from,
		.end = part->object->range.to,
		.writes = true,
		.why = why,
	};
}

/* What is handed on from iterations or threads, and not by a name alone. */
static void note_handed_on(const struct walk *walk)
{
	const struct directive *directive = walk->directive;

	for (size_t i = 0; i < directive->clauses.count && !walk->in_pipeline; i++) {
		const struct clause *clause = &directive->clauses.items[i];
		bool last = clause->kind == CLAUSE_LASTPRIVATE;
		struct range at = walk_word_at(walk->unit, clause->offset);

		if (last || (clause->kind == CLAUSE_REDUCTION && !gap_reduces_by_name(directive)))
			*list_add(&walk->sets->late) = (struct unknown){
				.offset = at.from,
				.end = at.to,
				.why = last ? "the values of the last iteration are handed on"
					    : "a part of an array is reduced, or by an operation "
					      "of "
					      "the program",
			};
	}
}

static void look_at(const struct walk *walk, struct part_of_set *part)
{
	struct sets *sets = walk->sets;
	bool guarded = part->around && (part->around->guards || part->around->kind != PART_BLOCK);
	bool late = part->around && !part->around->described;

	if (part->replaced)
		return;
	part->guards = guarded;
	if (part->kind != PART_ACCESS) {
		part->described = part->alike && !late && !part_is_late(sets, part, guarded);
		sets->lists &= part->described || can_be_listed(walk, part);
		return;
	}
	part->described = part->alike && !late && described_place(walk, part->object, guarded);
	part->early = part->described && !is_late(part->object, guarded);
	if (!part->described && !part->is_said && covered_access(walk, part->set, part->object)) {
		covered_replace(walk, part,
				"it depends on what not every node knows before the loop");
		return;
	}
	if (!part->described && is_write(part) && !conditional_write(walk, part))
		note_late(sets, part);
}

/* What is read, when it is known what may be written. */
static void look_at_read(const struct walk *walk, struct part_of_set *part)
{
	struct sets *sets = walk->sets;

	part->has_other = conditional_read(part);
	if (part->has_other)
		return;
	sets->lists &= can_be_listed(walk, part);
	access_read_somewhere(walk, part->object);
}

void described_find(const struct walk *walk, const struct syntax *loop)
{
	struct sets *sets = walk->sets;
	size_t count = sets->memory.count;

	alike_find(walk, loop);
	note_handed_on(walk);
	sets->writes_described = true;
	sets->lists = !walk->in_pipeline && !sets->unknown.count;
	/* Those around a part come before it. */
	for (size_t i = 0; i < count; i++)
		look_at(walk, sets->memory.items[i]);
	for (size_t i = 0; i < count; i++) {
		struct part_of_set *part = sets->memory.items[i];

		if (part->kind == PART_ACCESS && !part->described && !part->replaced &&
		    !is_write(part))
			look_at_read(walk, part);
	}
	for (size_t i = 0; i < sets->unknown.count; i++)
		sets->writes_described &= sets->unknown.items[i].place;
	sets->lists &= sets->somewhere.count > 0;
	for (size_t i = 0; i < sets->memory.count && sets->lists; i++) {
		struct part_of_set *part = sets->memory.items[i];

		if (part->kind != PART_ACCESS || part->described || part->replaced)
			continue;
		find_looked_up(sets, part);
		sets->lists = !access_each_in_address(part->object, is_beside_written, sets);
	}
}

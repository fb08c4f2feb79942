/* SPDX-License-Identifier: GPL-2.0-or-later */
/* even.c - what accesses a loop makes at even distances. */
#include "even.h"

#include <string.h>

#include "value.h"

static bool has_iterator(const struct syntax *value, unsigned int number)
{
	return value && value_has(value, number);
}

static bool is_written(enum telling telling, const struct part_of_set *access)
{
	if (access->joined)
		return false;
	if (telling == TELL_CHECKED)
		return !access->instead;
	return telling == TELL_PLANNED
		       ? access->described
		       : !access->described && !access->looked_up && !access->has_other;
}

/* While lists are gone through, what looks something up is looked at for that, too. */
static bool looks_up(const struct part_of_set *part)
{
	return (part->kind == PART_IF || part->kind == PART_LOOP) && !part->described;
}

bool even_is_empty(enum telling telling, const struct part_of_set *part)
{
	if (part->kind == PART_ACCESS)
		return !is_written(telling, part);
	if (telling == TELL_LISTED && looks_up(part))
		return false;
	for (size_t i = 0; i < part->parts.count; i++)
		if (!even_is_empty(telling, part->parts.items[i]))
			return false;
	return true;
}

/* Whether both are integers that C compares as they are. */
static bool are_compared(const struct syntax *one, const struct syntax *other)
{
	return one->type.kind == TYPE_INTEGER && other->type.kind == TYPE_INTEGER &&
	       one->type.name && other->type.name &&
	       type_is_unsigned(&one->type) == type_is_unsigned(&other->type);
}

/* Whether VALUE depends on no other iterator, and only by sums and products that do not wrap
 * around. */
static bool is_exact(const struct syntax *value, unsigned int number)
{
	if (value->kind == SYNTAX_ITERATOR || !value_has(value, number))
		return !value_has_any(value) || value_has(value, number);
	if ((value->kind != SYNTAX_BINARY && value->kind != SYNTAX_UNARY) ||
	    value->type.kind != TYPE_INTEGER || !value->type.name || type_is_unsigned(&value->type))
		return false;
	for (unsigned int i = 0; i < value->count; i++)
		if (!is_exact(value->parts[i], number))
			return false;
	return true;
}

/* Whether VALUE does not become less where the iterator does, or does nothing else. */
static bool goes_one_way(const struct syntax *value, unsigned int number)
{
	return value_has(value, number) && is_exact(value, number) &&
	       value_is_affine(value, number);
}

bool even_is_cut(const struct syntax *condition, unsigned int number)
{
	const struct syntax *value, *limit;
	bool mirrored;

	if (condition->kind != SYNTAX_BINARY ||
	    (*condition->word != '<' && *condition->word != '>') ||
	    (condition->word[1] && strcmp(condition->word + 1, "=") != 0))
		return false;
	mirrored = value_has_any(condition->parts[1]);
	value = condition->parts[mirrored];
	limit = condition->parts[!mirrored];
	return goes_one_way(value, number) && !value_has_any(limit) && are_compared(value, limit);
}

bool even_is_in(const struct sets *sets, enum telling telling, const struct part_of_set *part,
		unsigned int number)
{
	const struct iterator *iterator;

	if (even_is_empty(telling, part))
		return true;
	switch (part->kind) {
	case PART_ACCESS:
		return value_has_affine_address(part->object, number);
	case PART_IF:
		if (value_has(part->condition, number) &&
		    (part->uncut || !even_is_cut(part->condition, number)))
			return false;
		break;
	case PART_LOOP:
		iterator = &sets->iterators.items[part->iterator];
		if (has_iterator(iterator->first, number) ||
		    has_iterator(iterator->limit, number) || has_iterator(iterator->step, number))
			return false;
		break;
	default:
		break;
	}
	for (size_t i = 0; i < part->parts.count; i++)
		if (!even_is_in(sets, telling, part->parts.items[i], number))
			return false;
	return true;
}

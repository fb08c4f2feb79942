/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * join.c - accesses to elements of an array, one by one, as one access to all of them.
 *
 * Loops over a few elements are often written out: the 5 x 5 matrices of NAS BT are 25 accesses
 * each, which would be described one by one.
 */
#include "join.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "read/unit.h"

#define ELEMENTS_MOST 64

/* Which element of an array of so many SIZE the access names by a constant; false: none. */
static bool find_element(const struct part_of_set *part, unsigned long *index, unsigned long *size)
{
	const struct syntax *object = part->kind == PART_ACCESS ? part->object : NULL;
	const char *bracket;
	char *end;

	if (!object || part->joined || part->elements || object->kind != SYNTAX_ELEMENT ||
	    object->parts[1]->kind != SYNTAX_NUMBER || object->parts[0]->type.kind != TYPE_ARRAY ||
	    !object->parts[0]->type.name)
		return false;
	bracket = strchr(object->parts[0]->type.name, '[');
	if (!bracket)
		return false;
	*size = strtoul(bracket + 1, &end, 10);
	if (*end != ']' || *size < 2 || *size > ELEMENTS_MOST)
		return false;
	*index = strtoul(object->parts[1]->word, &end, 10);
	return !*end && *index < *size;
}

/* The length of the text of the array that PART's object is an element of. */
static size_t array_length(const struct part_of_set *part)
{
	const char *bracket = strrchr(part->text, '[');

	return bracket ? (size_t)(bracket - part->text) : 0;
}

/* Whether both are elements of one array, and accessed alike. */
static bool are_alike(const struct part_of_set *one, const struct part_of_set *other)
{
	size_t length = array_length(one);

	return length && one->set == other->set && one->instead == other->instead &&
	       length == array_length(other) && !memcmp(one->text, other->text, length);
}

/* The elements of one array that are accessed alike in one block, by their indices. */
struct group {
	struct part_of_set *element[ELEMENTS_MOST];
	size_t place[ELEMENTS_MOST]; /* among the block's parts */
	unsigned long size;
};

static void find_group(const struct part_of_set *block, size_t first, struct group *group)
{
	const struct part_of_set *part = block->parts.items[first];
	unsigned long index, size;

	for (size_t i = first; i < block->parts.count; i++)
		if (find_element(block->parts.items[i], &index, &size) && size == group->size &&
		    are_alike(part, block->parts.items[i])) {
			group->element[index] = block->parts.items[i];
			group->place[index] = i;
		}
}

/* COUNT elements from START on become one access, which is given back. */
static struct part_of_set *join_run(struct group *group, unsigned long start, unsigned long count)
{
	const struct syntax *object = group->element[start]->object;
	bool writes = group->element[start]->set == SET_WRITE ||
		      group->element[start]->set == SET_MAY_WRITE;
	unsigned long kept = start;

	/* All has been written when the last is; something is read when the first is. */
	for (unsigned long i = start; i < start + count; i++) {
		group->element[i]->joined = true;
		if ((group->place[i] > group->place[kept]) == writes)
			kept = i;
	}
	group->element[kept]->joined = false;
	group->element[kept]->object = object;
	return group->element[kept];
}

/* Elements of the array that the part at FIRST is one of; whether all are one access now. */
static bool join_array(struct unit *unit, struct part_of_set *block, size_t first)
{
	struct group group = {0};
	struct part_of_set *all;
	unsigned long index, count;

	if (!find_element(block->parts.items[first], &index, &group.size))
		return false;
	find_group(block, first, &group);
	for (unsigned long start = 0; start < group.size; start += count) {
		for (count = 0; start + count < group.size && group.element[start + count];)
			count++;
		if (count == group.size) {
			all = join_run(&group, 0, count);
			all->text = syntax_word(&unit->syntax, all->text, array_length(all));
			all->object = all->object->parts[0];
			return true;
		}
		if (count > 1)
			join_run(&group, start, count)->elements = count;
		count += !count;
	}
	return false;
}

/* What decides is read: once is enough. */
static void drop_reads(struct part_of_set *block)
{
	for (size_t i = 0; i < block->parts.count; i++) {
		const struct part_of_set *index = block->parts.items[i];

		for (size_t j = 0; j < block->parts.count && index->kind == PART_ACCESS; j++) {
			struct part_of_set *read = block->parts.items[j];

			if (index->set == SET_INDEX && index->described && read->set == SET_READ &&
			    read->kind == PART_ACCESS && !strcmp(read->text, index->text))
				read->joined = true;
		}
	}
}

static void join_in(struct unit *unit, struct part_of_set *block)
{
	bool joined = true;

	drop_reads(block);
	while (joined) {
		joined = false;
		for (size_t i = 0; i < block->parts.count; i++)
			joined |= join_array(unit, block, i);
	}
	for (size_t i = 0; i < block->parts.count; i++)
		join_in(unit, block->parts.items[i]);
}

void join_elements(struct unit *unit, const struct sets *sets)
{
	join_in(unit, sets->all);
}

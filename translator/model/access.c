/* SPDX-License-Identifier: GPL-2.0-or-later */
/* access.c - accesses to memory, and what decides on them, as a walk notes them. */
#include "access.h"

#include <string.h>

#include "read/unit.h"
#include "covered.h"
#include "value.h"
#include "visible.h"

#define CHOICES_MOST 3 /* in one object, that become conditions */

static struct syntax_trees *trees(const struct walk *walk)
{
	return &walk->unit->syntax;
}

/* -- objects ----------------------------------------------------------------------------------- */

/* The variable that a pointer's value leads to, NULL: not known, or an object of its own. */
static const struct syntax *pointed_to(const struct syntax *value);

const struct syntax *access_root(const struct syntax *object)
{
	if (!object)
		return NULL;
	switch (object->kind) {
	case SYNTAX_VARIABLE:
		return object;
	case SYNTAX_ELEMENT:
	case SYNTAX_TARGET:
	case SYNTAX_BYTES:
		return pointed_to(object->parts[0]);
	case SYNTAX_MEMBER:
		return object->arrow ? pointed_to(object->parts[0]) : access_root(object->parts[0]);
	default:
		return NULL;
	}
}

static const struct syntax *pointed_to(const struct syntax *value)
{
	if (!value)
		return NULL;
	switch (value->kind) {
	case SYNTAX_ADDRESS:
		return access_root(value->parts[0]);
	case SYNTAX_CAST:
		return pointed_to(value->parts[0]);
	case SYNTAX_BINARY:
		return pointed_to(value->parts[!strcmp(value->word, ",") ||
					       value->parts[0]->type.kind == TYPE_INTEGER]);
	default:
		return value->type.kind == TYPE_ARRAY ? access_root(value) : NULL;
	}
}

bool access_is_own(const struct walk *walk, const struct syntax *object)
{
	const struct syntax *root = access_root(object);

	return root && walk_is_own(walk, root);
}

/* Where OBJECT has no size, or no name at the loop, it is any. */
void access_read_somewhere(const struct walk *walk, const struct syntax *object)
{
	const struct syntax *root = access_root(object);
	struct sets *sets = walk->sets;

	if (root && (!visible_at(walk->unit, walk_place(walk), root) || !root->type.name ||
		     strstr(root->type.name, "[]")))
		root = NULL;
	for (size_t i = 0; i < sets->somewhere.count; i++) {
		const struct syntax *other = sets->somewhere.items[i];

		if (root == other || (root && other && root->declaration == other->declaration))
			return;
	}
	*list_add(&sets->somewhere) = root;
}

static void print_number(void *context, struct text *text, unsigned int iterator)
{
	(void)context;
	text_print(text, "@%u", iterator);
}

const char *access_key(const struct walk *walk, const struct syntax *object)
{
	struct text text = {0};
	const char *word;

	value_print(&text, object, print_number, NULL);
	word = syntax_word(trees(walk), text.data, text.length);
	text_free(&text);
	return word;
}

/* Whether an access to the same object as NOTED needs no note; in a pipeline others may write it.
 */
static bool is_covered(const struct walk *walk, enum access_set set, enum access_set noted)
{
	if (set == SET_READ)
		return noted == SET_READ || noted == SET_INDEX ||
		       (noted == SET_WRITE && !walk->in_pipeline);
	return noted == set || (set == SET_MAY_WRITE && noted == SET_WRITE);
}

bool access_is_of(const struct part_of_set *access, const struct syntax *object, const char *key)
{
	return !strcmp(access->text, key) && value_is_same(access->object, object);
}

/* Whether that has been noted already where control comes by on the way to here. */
static bool is_noted(const struct walk *walk, enum access_set set, const struct syntax *object,
		     const char *key)
{
	const struct part_of_set *part;
	size_t i;

	for (part = walk->part; part; part = part->around)
		for (i = 0; i < part->parts.count; i++) {
			const struct part_of_set *access = part->parts.items[i];

			if (access->kind == PART_ACCESS && access_is_of(access, object, key) &&
			    is_covered(walk, set, access->set))
				return true;
		}
	return false;
}

static void note(struct walk *walk, enum access_set set, struct syntax *object)
{
	const char *key = access_key(walk, object);
	struct part_of_set *part;

	if (is_noted(walk, set, object, key))
		return;
	part = walk_enter(walk, PART_ACCESS);
	part->set = set;
	part->object = object;
	part->text = key;
	part->offset = object->range.from;
	part->sure = !walk->uncertain;
	walk_leave(walk);
}

/* -- what decides ------------------------------------------------------------------------------ */

bool access_each_in_address(const struct syntax *object, access_visit *visit, void *context)
{
	if (object->kind == SYNTAX_MEMBER && !object->arrow)
		return access_each_in_address(object->parts[0], visit, context);
	for (unsigned int i = 0; i < object->count; i++)
		if (access_each_decider(object->parts[i], visit, context))
			return true;
	return false;
}

bool access_each_decider(const struct syntax *value, access_visit *visit, void *context)
{
	if (value->kind == SYNTAX_ADDRESS)
		return access_each_in_address(value->parts[0], visit, context);
	if (syntax_is_object(value))
		return access_each_in_address(value, visit, context) ||
		       (value->type.kind != TYPE_ARRAY && visit(context, value));
	for (unsigned int i = 0; i < value->count; i++)
		if (access_each_decider(value->parts[i], visit, context))
			return true;
	return false;
}

/* Where something depends on memory. */
struct dependence {
	struct walk *walk;
	struct range at;
	const struct syntax
		*late; /* memory that cannot be read before the loop, if that is asked */
};

/* Whether OBJECT is accessed in any case, on the way to here. */
static bool is_accessed(struct walk *walk, const struct syntax *object)
{
	const char *key = access_key(walk, object);

	for (const struct part_of_set *part = walk->part; part; part = part->around)
		for (size_t i = 0; i < part->parts.count; i++)
			if (part->parts.items[i]->kind == PART_ACCESS &&
			    part->parts.items[i]->sure &&
			    access_is_of(part->parts.items[i], object, key))
				return true;
	return false;
}

/* Whether OBJECT cannot be read where the loop begins. */
static bool is_late(struct walk *walk, const struct syntax *object)
{
	return object->kind != SYNTAX_VARIABLE &&
	       (access_is_own(walk, object) || (walk->uncertain && !is_accessed(walk, object)));
}

static const char *why_late(struct walk *walk, const struct syntax *object)
{
	struct text text = {0};
	const char *why;

	if (!access_is_own(walk, object))
		return "it depends on memory that is read under a condition, which is not known "
		       "before the loop";
	text_print(&text, "it depends on memory of the thread's own, '%s'",
		   access_key(walk, object));
	why = syntax_word(trees(walk), text.data, text.length);
	text_free(&text);
	return why;
}

static bool depend(void *context, const struct syntax *object)
{
	const struct dependence *dependence = context;
	struct walk *walk = dependence->walk;

	if (is_late(walk, object))
		walk_stop(walk, true, dependence->at, "%s", why_late(walk, object));
	else if (!access_is_own(walk, object))
		note(walk, SET_INDEX, syntax_copy(trees(walk), object));
	return false;
}

static bool find_late(void *context, const struct syntax *object)
{
	struct dependence *dependence = context;

	if (is_late(dependence->walk, object))
		dependence->late = object;
	return dependence->late != NULL;
}

bool walk_is_late(struct walk *walk, const struct syntax *value)
{
	struct dependence dependence = {.walk = walk};

	return value && access_each_decider(value, find_late, &dependence);
}

void walk_depend(struct walk *walk, const struct syntax *value, struct range at)
{
	access_each_decider(value, depend, &(struct dependence){walk, at, NULL});
}

static bool reads_memory(const struct syntax *value)
{
	if (syntax_is_object(value) && value->kind != SYNTAX_VARIABLE &&
	    value->type.kind != TYPE_ARRAY)
		return true;
	for (unsigned int i = 0; i < value->count; i++)
		if (reads_memory(value->parts[i]))
			return true;
	return false;
}

struct syntax *walk_condition(struct walk *walk, struct syntax *condition, struct range at)
{
	if (!condition || (walk->uncertain && reads_memory(condition)) ||
	    (walk->directive->said && walk_is_late(walk, condition)))
		return NULL;
	walk_depend(walk, condition, at);
	return condition;
}

/* -- accesses ---------------------------------------------------------------------------------- */

/* Whether VALUE is made of what the loop counts with, and of variables. */
static bool is_of_iterators(const struct syntax *value)
{
	if (value->kind != SYNTAX_VARIABLE &&
	    (syntax_is_object(value) || value->kind == SYNTAX_CALL))
		return false;
	for (unsigned int i = 0; i < value->count; i++)
		if (!is_of_iterators(value->parts[i]))
			return false;
	return true;
}

static bool is_of_one_type(const struct syntax *choice)
{
	const char *name = choice->type.name;

	for (unsigned int i = 1; i < choice->count && name; i++)
		if (!choice->parts[i]->type.name || strcmp(choice->parts[i]->type.name, name) != 0)
			name = NULL;
	return name != NULL;
}

/* A choice in VALUE that an iterator decides, or NULL. */
static const struct syntax *choice_in(const struct syntax *value)
{
	const struct syntax *choice = NULL;

	if (value->kind == SYNTAX_CHOICE && value_has_any(value->parts[0]) &&
	    is_of_iterators(value->parts[0]) && is_of_one_type(value))
		return value;
	for (unsigned int i = 0; i < value->count && !choice; i++)
		choice = choice_in(value->parts[i]);
	return choice;
}

/* VALUE where the condition of CHOICE holds, or does not. */
static struct syntax *choose(struct walk *walk, struct syntax *value, const struct syntax *choice,
			     bool otherwise)
{
	struct syntax *result;

	if (value->kind == SYNTAX_CHOICE && is_of_one_type(value) &&
	    (value == choice ||
	     !strcmp(access_key(walk, value->parts[0]), access_key(walk, choice->parts[0]))))
		return choose(walk, value->parts[1 + otherwise], choice, otherwise);
	result = syntax_copy(trees(walk), value);
	for (unsigned int i = 0; i < value->count; i++)
		result->parts[i] = choose(walk, value->parts[i], choice, otherwise);
	return result;
}

static void note_known(struct walk *walk, enum access_set set, struct syntax *object,
		       struct range at, unsigned int choices)
{
	struct dependence dependence = {walk, at, NULL};
	const struct syntax *choice = choices ? choice_in(object) : NULL;

	for (unsigned int i = 0; choice && i < 2; i++) {
		walk_enter_if(walk, choice->parts[0], i);
		note_known(walk, set, choose(walk, object, choice, i), at, choices - 1);
		walk_leave_if(walk, choice->parts[0]);
	}
	if (choice)
		return;

	object->range = at;
	/* Of what is read, it is the place that depends on it, no more. */
	if ((set == SET_READ || covered_access(walk, set, object)) &&
	    access_each_in_address(object, find_late, &dependence)) {
		walk_stop_at(walk, set, at, why_late(walk, dependence.late), object);
		return;
	}
	access_each_in_address(object, depend, &dependence);
	note(walk, set, object);
}

void access_note(struct walk *walk, enum access_set set, const struct syntax *piece,
		 struct syntax *object, bool known)
{
	bool writes = set != SET_READ;

	if (access_is_own(walk, object) || (writes && walk->ending))
		return;
	if (!known) {
		walk_stop_at(walk, set, piece->range, NULL, object);
	} else if ((piece->type.is_volatile || piece->type.is_atomic) && !walk->in_pipeline) {
		walk_stop(walk, writes, piece->range, "it is volatile or atomic");
	} else if (piece->type.bit_field && covered_access(walk, set, object)) {
		covered_note(walk, piece->range, "it is a bit field");
	} else if (piece->type.bit_field) {
		walk_stop(walk, writes, piece->range, "it is a bit field");
	} else {
		note_known(walk, set, object, piece->range, CHOICES_MOST);
	}
}

enum access_set access_written(const struct walk *walk)
{
	return walk->uncertain ? SET_MAY_WRITE : SET_WRITE;
}

void walk_may_write(struct walk *walk, struct syntax *variable)
{
	note(walk, SET_MAY_WRITE, variable);
}

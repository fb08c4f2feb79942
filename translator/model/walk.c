/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk.c - the parts that a walk finds, and what stops it. */
#include "walk.h"

#include <string.h>

#include "access.h"
#include "followed.h"
#include "read/directive_facts.h"
#include "read/unit.h"
#include "covered.h"

unsigned int walk_place(const struct walk *walk)
{
	return walk->in_pipeline ? walk->place : walk->directive->offset;
}

/* -- parts ------------------------------------------------------------------------------------- */

struct part_of_set *walk_enter(struct walk *walk, enum part_kind kind)
{
	struct part_of_set *part = memory_new(sizeof *part);

	*list_add(&walk->sets->memory) = part;
	part->kind = kind;
	part->around = walk->part;
	if (walk->part)
		*list_add(&walk->part->parts) = part;
	walk->part = part;
	return part;
}

void walk_leave(struct walk *walk)
{
	walk->part = walk->part->around;
}

void walk_enter_if(struct walk *walk, struct syntax *condition, bool otherwise)
{
	struct part_of_set *part;

	if (!condition) {
		walk->uncertain++;
		return;
	}
	part = walk_enter(walk, PART_IF);
	part->condition = condition;
	part->otherwise = otherwise;
}

void walk_leave_if(struct walk *walk, const struct syntax *condition)
{
	if (condition)
		walk_leave(walk);
	else
		walk->uncertain--;
}

static void stop(struct walk *walk, struct unknown what, const char *why)
{
	for (size_t i = 0; i < walk->sets->unknown.count; i++) {
		struct unknown *unknown = &walk->sets->unknown.items[i];

		if (unknown->offset != what.offset)
			continue;
		unknown->writes |= what.writes;
		unknown->place &= what.place;
		return;
	}
	what.why = syntax_word(&walk->unit->syntax, why, strlen(why));
	*list_add(&walk->sets->unknown) = what;
}

/* Where the program ends it does not matter what is written. */
static void stop_wherever(struct walk *walk, bool writes, struct range at, const char *why)
{
	stop(walk, (struct unknown){at.from, at.to, writes && !walk->ending, walk->ending, NULL},
	     why);
	if (walk->ending)
		access_read_somewhere(walk, NULL);
}

void walk_stop(struct walk *walk, bool writes, struct range at, const char *why, ...)
{
	struct text text = {0};
	va_list arguments;

	va_start(arguments, why);
	text_vprint(&text, why, arguments);
	va_end(arguments);
	stop_wherever(walk, writes, at, text.data);
	text_free(&text);
}

void walk_stop_unless_said(struct walk *walk, struct range at, const char *why, ...)
{
	struct text text = {0};
	va_list arguments;

	va_start(arguments, why);
	text_vprint(&text, why, arguments);
	va_end(arguments);
	if (covered_all(walk))
		covered_note(walk, at, text.data);
	else
		stop_wherever(walk, true, at, text.data);
	text_free(&text);
}

/* Why the place of something is not known. */
static void print_change(const struct walk *walk, struct text *text)
{
	if (walk->changed)
		text_print(
			text,
			"it depends on '%s', whose value in line %u is not known before the loop",
			walk->changed, source_place(&walk->unit->source, walk->changed_at).line);
	else
		text_print(text, "its place is not known before the loop");
}

void walk_stop_at(struct walk *walk, enum access_set set, struct range at, const char *why,
		  const struct syntax *object)
{
	bool writes = set != SET_READ;
	struct text text = {0};

	if (why)
		text_print(&text, "%s", why);
	else
		print_change(walk, &text);
	if (covered_access(walk, set, object)) {
		covered_note(walk, at, text.data);
	} else {
		stop(walk, (struct unknown){at.from, at.to, .writes = writes, .place = !writes},
		     text.data);
		access_read_somewhere(walk, object);
	}
	text_free(&text);
}

/* -- pragmas ----------------------------------------------------------------------------------- */

struct range walk_word_at(const struct unit *unit, unsigned int offset)
{
	const char *text = unit->source.text.data + offset;

	return (struct range){offset,
			      offset + (unsigned int)strspn(text, "abcdefghijklmnopqrstuvwxyz_")};
}

/* Whether sets can be described in spite of OTHER. */
static bool is_followed(const struct walk *walk, const struct directive *other)
{
	return other->kind == DIRECTIVE_SIMD || other->kind == DIRECTIVE_IGNORED ||
	       (walk->in_pipeline && followed_is(other));
}

void walk_look_at_directives(struct walk *walk, struct range body, size_t first)
{
	const struct directive_list *directives = &walk->unit->directives;
	const struct directive *other;

	for (; first < directives->list.count; first++) {
		other = &directives->list.items[first];
		if (other->offset < body.from || other->offset >= body.to)
			continue;
		walk->sets->critical |= other->kind == DIRECTIVE_CRITICAL;
		if (!is_followed(walk, other))
			walk_stop(walk, true, walk_word_at(walk->unit, other->name),
				  "'omp %s' inside of the loop is not followed",
				  directive_facts[other->kind].name);
	}
}

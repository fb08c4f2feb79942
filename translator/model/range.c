/* SPDX-License-Identifier: GPL-2.0-or-later */
/* range.c - from where to where the subscripts of an access go, in words of the source. */
#include "range.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read/unit.h"
#include "value.h"

/* What is being described. */
struct reader {
	struct unit *unit;
	const struct sets *sets;
};

static void print_name(void *context, struct text *text, unsigned int iterator)
{
	const struct reader *reader = context;

	text_print(text, "%s", reader->sets->iterators.items[iterator].name);
}

static const char *word_of(const struct reader *reader, const struct syntax *value)
{
	struct text text = {0};
	const char *word;

	value_print(&text, value, print_name, (void *)reader);
	word = syntax_word(&reader->unit->syntax, text.data, text.length);
	text_free(&text);
	return word;
}

/* -- sums -------------------------------------------------------------------------------------- */

static void add_term(struct sum *sum, const char *word, long factor)
{
	struct term *term;

	for (size_t i = 0; i < sum->terms.count; i++)
		if (!strcmp(sum->terms.items[i].word, word)) {
			sum->terms.items[i].factor += factor;
			return;
		}
	term = list_add(&sum->terms);
	term->word = word;
	term->factor = factor;
}

static bool read_number(const struct syntax *value, long *number)
{
	char *end;

	if (value->kind == SYNTAX_UNARY && *value->word == '-' &&
	    read_number(value->parts[0], number)) {
		*number = -*number;
		return true;
	}
	if (value->kind != SYNTAX_NUMBER || value->type.kind != TYPE_INTEGER)
		return false;
	errno = 0;
	*number = strtol(value->word, &end, 0);
	return !errno && end != value->word && *number < 1l << 40 && *number > -(1l << 40);
}

static void add_value(const struct reader *reader, struct sum *sum, const struct syntax *value,
		      long factor, bool highest);

/* The last value of an iterator, or the first one if it is the other end. */
static void add_iterator(const struct reader *reader, struct sum *sum, const struct syntax *value,
			 long factor, bool highest)
{
	const struct iterator *iterator = &reader->sets->iterators.items[value->iterator];
	bool largest = (factor > 0) == highest, descends = iterator_descends(iterator);

	if (iterator->kind != ITERATOR_INNER) {
		add_term(sum, iterator->name, factor);
		return;
	}
	if (largest != descends) {
		add_value(reader, sum, iterator->limit, factor, highest);
		if (iterator->relation == LOOP_LESS ||
		    (iterator->relation == LOOP_NOT_EQUAL && !descends))
			sum->constant -= factor;
		else if (iterator->relation == LOOP_GREATER || iterator->relation == LOOP_NOT_EQUAL)
			sum->constant += factor;
		return;
	}
	add_value(reader, sum, iterator->first, factor, highest);
}

static void add_value(const struct reader *reader, struct sum *sum, const struct syntax *value,
		      long factor, bool highest)
{
	long number;

	if (read_number(value, &number)) {
		sum->constant += factor * number;
		return;
	}
	switch (value->kind) {
	case SYNTAX_ITERATOR:
		add_iterator(reader, sum, value, factor, highest);
		return;
	case SYNTAX_CAST:
		if (value->type.kind == TYPE_INTEGER) {
			add_value(reader, sum, value->parts[0], factor, highest);
			return;
		}
		break;
	case SYNTAX_UNARY:
		if (*value->word == '-') {
			add_value(reader, sum, value->parts[0], -factor, highest);
			return;
		}
		break;
	case SYNTAX_BINARY:
		if (!strcmp(value->word, "+") || !strcmp(value->word, "-")) {
			add_value(reader, sum, value->parts[0], factor, highest);
			add_value(reader, sum, value->parts[1],
				  *value->word == '+' ? factor : -factor, highest);
			return;
		}
		if (!strcmp(value->word, "*") && read_number(value->parts[0], &number)) {
			add_value(reader, sum, value->parts[1], factor * number, highest);
			return;
		}
		if (!strcmp(value->word, "*") && read_number(value->parts[1], &number)) {
			add_value(reader, sum, value->parts[0], factor * number, highest);
			return;
		}
		break;
	default:
		break;
	}
	add_term(sum, word_of(reader, value), factor);
}

/* By how much OTHER is more than ONE, if that is a constant. */
static bool difference(const struct sum *one, const struct sum *other, long *by)
{
	struct sum sum = {.constant = other->constant - one->constant};
	bool constant = true;
	size_t i;

	for (i = 0; i < other->terms.count; i++)
		add_term(&sum, other->terms.items[i].word, other->terms.items[i].factor);
	for (i = 0; i < one->terms.count; i++)
		add_term(&sum, one->terms.items[i].word, -one->terms.items[i].factor);
	for (i = 0; i < sum.terms.count; i++)
		constant &= !sum.terms.items[i].factor;
	*by = sum.constant;
	list_free(&sum.terms);
	return constant;
}

static void print_sum(struct text *text, const struct sum *sum)
{
	size_t start = text->length, i;

	for (i = 0; i < sum->terms.count; i++) {
		const struct term *term = &sum->terms.items[i];
		long factor = labs(term->factor);

		if (!factor)
			continue;
		if (term->factor < 0 || text->length > start)
			text_print(text, "%s", term->factor < 0 ? "-" : "+");
		if (factor > 1)
			text_print(text, "%ld*", factor);
		text_print(text, factor > 1 && strpbrk(term->word, " ") ? "(%s)" : "%s",
			   term->word);
	}
	if (sum->constant || text->length == start)
		text_print(text, text->length > start ? "%+ld" : "%ld", sum->constant);
}

/* -- objects ----------------------------------------------------------------------------------- */

static const struct syntax *without_casts(const struct syntax *value)
{
	while (value->kind == SYNTAX_CAST)
		value = value->parts[0];
	return value;
}

/* The subscripts at the end of OBJECT, the last one first; what stands before them. */
static const struct syntax *read_subscripts(const struct reader *reader,
					    const struct syntax *object, struct ranges *ranges)
{
	const struct syntax *base = object;

	if (object->kind == SYNTAX_ELEMENT) {
		struct subscript *subscript;

		base = read_subscripts(reader, without_casts(object->parts[0]), ranges);
		subscript = list_add(&ranges->subscripts);
		add_value(reader, &subscript->low, object->parts[1], 1, false);
		add_value(reader, &subscript->high, object->parts[1], 1, true);
	}
	return base;
}

void ranges_read(struct unit *unit, const struct sets *sets, const struct syntax *object,
		 struct ranges *ranges)
{
	struct reader reader = {unit, sets};
	const struct syntax *inside = object;
	struct text after = {0};
	long bytes;

	if (object->kind == SYNTAX_BYTES) {
		ranges->before = word_of(&reader, object->parts[0]);
		if (read_number(object->parts[1], &bytes))
			text_print(&after, " (%ld bytes)", bytes);
		else
			text_print(&after, " (%s bytes)", word_of(&reader, object->parts[1]));
		ranges->after = syntax_word(&unit->syntax, after.data, after.length);
		text_free(&after);
		return;
	}
	while (inside->kind == SYNTAX_MEMBER && !inside->arrow)
		inside = inside->parts[0];
	if (inside->kind == SYNTAX_ELEMENT && inside != object) {
		struct text whole = {0}, part = {0};

		value_print(&whole, object, print_name, &reader);
		value_print(&part, inside, print_name, &reader);
		text_add(&after, whole.data + part.length, whole.length - part.length);
		text_free(&whole);
		text_free(&part);
		object = inside;
	}
	ranges->after = syntax_word(&unit->syntax, after.data ? after.data : "", after.length);
	text_free(&after);
	ranges->before = word_of(&reader, read_subscripts(&reader, object, ranges));
}

bool ranges_join(struct ranges *one, const struct ranges *other)
{
	long by;
	size_t i;

	if (strcmp(one->before, other->before) != 0 || strcmp(one->after, other->after) != 0 ||
	    one->subscripts.count != other->subscripts.count)
		return false;
	for (i = 0; i < one->subscripts.count; i++)
		if (!difference(&one->subscripts.items[i].low, &other->subscripts.items[i].low,
				&by) ||
		    !difference(&one->subscripts.items[i].high, &other->subscripts.items[i].high,
				&by))
			return false;
	for (i = 0; i < one->subscripts.count; i++) {
		struct subscript *mine = &one->subscripts.items[i];

		difference(&mine->low, &other->subscripts.items[i].low, &by);
		mine->low.constant += by < 0 ? by : 0;
		difference(&mine->high, &other->subscripts.items[i].high, &by);
		mine->high.constant += by > 0 ? by : 0;
	}
	return true;
}

void ranges_print(struct text *text, const struct ranges *ranges)
{
	long by;

	text_print(text, strpbrk(ranges->before, " *&") && ranges->subscripts.count ? "(%s)" : "%s",
		   ranges->before);
	for (size_t i = 0; i < ranges->subscripts.count; i++) {
		const struct subscript *subscript = &ranges->subscripts.items[i];

		text_print(text, "[");
		print_sum(text, &subscript->low);
		if (!difference(&subscript->low, &subscript->high, &by) || by) {
			text_print(text, "..");
			print_sum(text, &subscript->high);
		}
		text_print(text, "]");
	}
	text_print(text, "%s", ranges->after);
}

void ranges_free(struct ranges *ranges)
{
	for (size_t i = 0; i < ranges->subscripts.count; i++) {
		list_free(&ranges->subscripts.items[i].low.terms);
		list_free(&ranges->subscripts.items[i].high.terms);
	}
	list_free(&ranges->subscripts);
}

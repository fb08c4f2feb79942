/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * set_text.c - the loops and conditions of a loop's body, with calls in place of its accesses.
 *
 * An access whose address grows evenly with the variable of a loop is described once for the whole
 * loop, which is a dimension then: how many rounds it has, and the addresses in its second and its
 * last one.  The run time finds by the last one whether the address did grow evenly.
 */
#include "set_text.h"

#include <limits.h>
#include <string.h>

#include "loop_text.h"
#include "model/even.h"
#include "model/pipeline.h"
#include "model/value.h"
#include "read/unit.h"

/* Which value of an iterator is written. */
enum form {
	FORM_FIRST,
	FORM_NEXT,
	FORM_LAST,
	FORM_MIDDLE, /* cape_middle */
};

struct writer {
	struct unit *unit;
	const struct directive *directive;
	const struct sets *sets;
	struct text *text;
	enum telling telling;
	enum value_rows rows;
	bool may_write; /* whether all is written does not matter */
	unsigned int depth;
	LIST(unsigned int) dimensions; /* iterators that are dimensions here */
	unsigned int changed;	       /* the iterator that is not written in its first form */
	enum form form;
	unsigned int rounds; /* loops around that are written as loops */
	unsigned int cuts;   /* conditions around that hold for some rounds of a dimension */
};

/* For cape_plan.h, else for cape_sets.h. */
static bool is_plan(const struct writer *writer)
{
	return writer->telling != TELL_CHECKED;
}

static const struct iterator *iterator_of(const struct writer *writer, unsigned int number)
{
	return &writer->sets->iterators.items[number];
}

static void start_line(const struct writer *writer)
{
	indent(writer->text, writer->depth);
}

/* -- iterators --------------------------------------------------------------------------------- */

static bool is_dimension(const struct writer *writer, unsigned int number)
{
	for (size_t i = 0; i < writer->dimensions.count; i++)
		if (writer->dimensions.items[i] == number)
			return true;
	return false;
}

/* The construct's own variables have their names while they are dimensions. */
static void write_first(const struct writer *writer, struct text *text, unsigned int number)
{
	const struct iterator *iterator = iterator_of(writer, number);

	if (iterator->kind == ITERATOR_FIXED ||
	    (iterator->kind == ITERATOR_SHARED_OUT && is_dimension(writer, number)))
		text_print(text, "%s", iterator->name);
	else
		text_print(text, "cape_i%u", number);
}

static void write_iterator(void *context, struct text *text, unsigned int number)
{
	const struct writer *writer = context;
	const struct iterator *iterator = iterator_of(writer, number);

	if (number != writer->changed || writer->form == FORM_FIRST) {
		write_first(writer, text, number);
		return;
	}
	if (writer->form == FORM_MIDDLE) {
		text_print(text, "cape_middle");
		return;
	}
	if (iterator->kind == ITERATOR_SHARED_OUT && writer->form == FORM_LAST) {
		text_print(text, "cape_last");
		return;
	}
	text_print(text, "((__typeof__(");
	write_first(writer, text, number);
	text_print(text, "))(");
	write_first(writer, text, number);
	if (writer->form == FORM_NEXT)
		text_print(text, " + cape_step_%u))", number);
	else
		text_print(text, " + (long)(cape_count_%u - 1) * cape_step_%u))", number, number);
}

static void write_value(struct writer *writer, const struct syntax *value)
{
	value_print_rows(writer->text, value, writer->rows, write_iterator, writer);
}

/* OBJECT, which is not read. */
static void write_object(struct writer *writer, const struct syntax *object)
{
	value_print_place(writer->text, object, writer->rows, write_iterator, writer);
}

/* -- parts ------------------------------------------------------------------------------------- */

static void write_part(struct writer *writer, const struct part_of_set *part);

static void write_address(struct writer *writer, const struct syntax *object)
{
	text_print(writer->text, "(unsigned long)&");
	write_object(writer, object);
}

static const char *set_name(const struct writer *writer, const struct part_of_set *part)
{
	switch (part->set) {
	case SET_READ:
		return "CAPE_SET_READ";
	case SET_INDEX:
		return is_plan(writer) && !part->early ? "CAPE_SET_READ" : "CAPE_SET_INDEX";
	case SET_MAY_WRITE:
		return "CAPE_SET_MAY_WRITE";
	default:
		/* What is between a record's members may remain. */
		if (!is_plan(writer) &&
		    (writer->may_write || part->object->type.kind == TYPE_RECORD))
			return "CAPE_SET_MAY_WRITE";
		return part->object->kind == SYNTAX_BYTES ? "CAPE_SET_FILL" : "CAPE_SET_WRITE";
	}
}

static void write_name(struct writer *writer, const struct part_of_set *part)
{
	struct place place = source_place(&writer->unit->source, part->offset);
	struct text name = {0};

	source_copy(&writer->unit->source, part->object->range, &name);
	text_print(writer->text, "\"");
	if (name.data)
		text_add_file_name(writer->text, name.data);
	text_print(writer->text, "\", %u", place.line);
	text_free(&name);
}

/*
 * When the access comes among those of the same round of the same loops, and which these are: a
 * byte for each dimension, the outermost lowest.  0: other rounds may come between.
 */
static void write_order(const struct writer *writer, const struct part_of_set *part)
{
	unsigned long long loops = 0;
	size_t order = 0;

	for (size_t i = 0; i < writer->dimensions.count && i < 8; i++)
		loops |= (writer->dimensions.items[i] + 1ull) << 8 * i;
	for (size_t i = 0; i < writer->dimensions.count; i++)
		if (i == 8 || writer->dimensions.items[i] >= 255)
			loops = 0;
	while (order < writer->sets->memory.count && writer->sets->memory.items[order] != part)
		order++;
	if (writer->rounds || writer->cuts || part->instead || writer->directive->loop_count > 1 ||
	    !loops)
		order = loops = 0;
	else
		order++;
	text_print(writer->text, ", %zu, 0x%llx", order, loops);
}

static void write_access(struct writer *writer, const struct part_of_set *part)
{
	struct text *text = writer->text;

	start_line(writer);
	text_print(text, is_plan(writer) ? "cape_plan_box(%s, " : "cape_box(%s, ",
		   set_name(writer, part));
	if (!is_plan(writer)) {
		write_name(writer, part);
		text_print(text, ", ");
	}
	write_address(writer, part->object);
	text_print(text, ", sizeof(");
	write_object(writer, part->object);
	text_print(text, ")");
	if (part->elements)
		text_print(text, " * %lu", part->elements);
	if (is_plan(writer))
		write_order(writer, part);
	text_print(text, ", %zu", writer->dimensions.count);
	for (size_t i = 0; i < writer->dimensions.count; i++) {
		writer->changed = writer->dimensions.items[i];
		text_print(text, ", cape_count_%u", writer->changed);
		for (writer->form = FORM_NEXT; writer->form <= FORM_LAST; writer->form++) {
			text_print(text, ", ");
			write_address(writer, part->object);
		}
		writer->form = FORM_FIRST;
	}
	text_print(text, ");\n");
}

static void open_scope(struct writer *writer)
{
	text_print(writer->text, " {\n");
	writer->depth++;
}

static void close_scope(struct writer *writer)
{
	writer->depth--;
	start_line(writer);
	text_print(writer->text, "}\n");
}

/* The parts of PART whose accesses are evenly apart, or those that are not. */
static bool has_parts(struct writer *writer, const struct part_of_set *part, unsigned int number,
		      bool even)
{
	for (size_t i = 0; i < part->parts.count; i++)
		if (even_is_in(writer->sets, writer->telling, part->parts.items[i], number) == even)
			return true;
	return false;
}

static void write_parts(struct writer *writer, const struct part_of_set *part, unsigned int number,
			bool even)
{
	for (size_t i = 0; i < part->parts.count; i++)
		if (even_is_in(writer->sets, writer->telling, part->parts.items[i], number) == even)
			write_part(writer, part->parts.items[i]);
}

/* Both: with the iterator as a dimension, and for each of its values. */
static void write_rounds(struct writer *writer, const struct part_of_set *part, unsigned int number)
{
	const struct iterator *iterator = iterator_of(writer, number);
	struct text *text = writer->text;

	if (has_parts(writer, part, number, true)) {
		*list_add(&writer->dimensions) = number;
		write_parts(writer, part, number, true);
		writer->dimensions.count--;
	}
	if (!has_parts(writer, part, number, false))
		return;
	start_line(writer);
	open_scope(writer);
	start_line(writer);
	text_print(text, "unsigned long cape_at_%u;\n", number);
	start_line(writer);
	text_print(text, "for (cape_at_%u = 0; cape_at_%u < cape_count_%u && %s(); cape_at_%u++)",
		   number, number, number, is_plan(writer) ? "cape_plan_round" : "cape_sets_round",
		   number);
	open_scope(writer);
	start_line(writer);
	if (iterator->kind == ITERATOR_SHARED_OUT)
		text_print(text, "__typeof__(%s) cape_i%u = (__typeof__(%s))(%s", iterator->name,
			   number, iterator->name, iterator->name);
	else
		text_print(text, "%s cape_i%u = (%s)(cape_first_%u", iterator->type, number,
			   iterator->type, number);
	text_print(text, " + (long)cape_at_%u * cape_step_%u);\n", number, number);
	writer->rounds++;
	write_parts(writer, part, number, false);
	writer->rounds--;
	close_scope(writer);
	close_scope(writer);
}

/* Of a loop that is shared out, the part of the thread that is described. */
static void write_share(struct writer *writer, unsigned int number)
{
	struct text *text = writer->text;
	const char *type = iterator_of(writer, number)->type;

	start_line(writer);
	text_print(text, "unsigned long cape_left_%u, cape_right_%u;\n", number, number);
	start_line(writer);
	text_print(text,
		   "cape_pipeline_share(cape_thread, cape_all_%u, %d, &cape_left_%u, "
		   "&cape_right_%u);\n",
		   number, iterator_of(writer, number)->shares->from_end, number, number);
	start_line(writer);
	text_print(text, "const unsigned long cape_count_%u = cape_right_%u - cape_left_%u;\n",
		   number, number, number);
	start_line(writer);
	text_print(text,
		   "const %s cape_first_%u = (%s)(cape_begin_%u + (long)cape_left_%u * "
		   "cape_step_%u);\n",
		   type, number, type, number, number, number);
}

/* A loop of the body: its first value, its step, and how many rounds it has. */
static void write_loop(struct writer *writer, const struct part_of_set *part)
{
	unsigned int number = part->iterator;
	const struct iterator *iterator = iterator_of(writer, number);
	struct text *text = writer->text;
	const char *sign = iterator_descends(iterator) ? "-" : "";
	const char *whole = iterator->shares ? "begin" : "first";

	start_line(writer);
	text_print(text, "{\n");
	writer->depth++;
	start_line(writer);
	text_print(text, "const %s cape_%s_%u = (%s)(", iterator->type, whole, number,
		   iterator->type);
	write_value(writer, iterator->first);
	text_print(text, ");\n");
	start_line(writer);
	text_print(text, "const __typeof__(");
	write_value(writer, iterator->limit);
	text_print(text, ") cape_limit_%u = ", number);
	write_value(writer, iterator->limit);
	text_print(text, ";\n");
	start_line(writer);
	text_print(text, "const long cape_step_%u = %s(", number, iterator->minus ? "-" : "");
	if (iterator->step)
		write_value(writer, iterator->step);
	else
		text_print(text, "1");
	text_print(text, ");\n");
	start_line(writer);
	text_print(text,
		   "const unsigned long cape_%s_%u = %scape_step_%u > 0 ? "
		   "CAPE_TRIPS_%s(cape_%s_%u, cape_limit_%u, %scape_step_%u) : 1;\n",
		   iterator->shares ? "all" : "count", number, sign, number,
		   loop_trips(iterator->relation, iterator->minus), whole, number, number, sign,
		   number);
	if (iterator->shares)
		write_share(writer, number);
	start_line(writer);
	text_print(text, "const %s cape_i%u = cape_first_%u;\n", iterator->type, number, number);
	start_line(writer);
	text_print(text, "if (cape_count_%u)", number);
	open_scope(writer);
	write_rounds(writer, part, number);
	close_scope(writer);
	close_scope(writer);
}

static void write_inside(struct writer *writer, const struct part_of_set *part)
{
	for (size_t i = 0; i < part->parts.count; i++)
		write_part(writer, part->parts.items[i]);
}

static void write_condition(struct writer *writer, const struct part_of_set *part)
{
	text_print(writer->text, part->otherwise ? "!(" : "(");
	if (part->beside) {
		text_print(writer->text, "cape_side ? ");
		write_value(writer, part->beside);
		text_print(writer->text, " : ");
	}
	write_value(writer, part->condition);
	text_print(writer->text, ")");
}

/* CAPE_LOW: for how many rounds of the dimension the condition is what it is for the first one. */
static void write_search(struct writer *writer, const struct part_of_set *part, unsigned int number,
			 const char *type)
{
	struct text *text = writer->text;

	start_line(writer);
	text_print(text, "const int cape_begins = ");
	write_condition(writer, part);
	text_print(text, ";\n");
	start_line(writer);
	text_print(text, "unsigned long cape_low = 1, cape_high = cape_count_%u;\n", number);
	start_line(writer);
	text_print(text, "while (cape_low < cape_high) {\n");
	writer->depth++;
	start_line(writer);
	text_print(text,
		   "const unsigned long cape_half = cape_low + (cape_high - cape_low) / 2;\n");
	start_line(writer);
	text_print(text, "const %s cape_middle = (%s)(", type, type);
	write_first(writer, text, number);
	text_print(text, " + (long)cape_half * cape_step_%u);\n", number);
	start_line(writer);
	text_print(text, "if (");
	writer->changed = number;
	writer->form = FORM_MIDDLE;
	write_condition(writer, part);
	writer->form = FORM_FIRST;
	text_print(text, " == cape_begins)\n");
	indent(text, writer->depth + 1);
	text_print(text, "cape_low = cape_half + 1;\n");
	start_line(writer);
	text_print(text, "else\n");
	indent(text, writer->depth + 1);
	text_print(text, "cape_high = cape_half;\n");
	close_scope(writer);
}

/* The rounds of a dimension for which the condition holds, as if there were no others. */
static void write_cut(struct writer *writer, const struct part_of_set *part, unsigned int number)
{
	const struct iterator *iterator = iterator_of(writer, number);
	bool shared_out = iterator->kind == ITERATOR_SHARED_OUT;
	struct text *text = writer->text, type = {0};

	text_print(&type, shared_out ? "__typeof__(%s)" : "%s",
		   shared_out ? iterator->name : iterator->type);
	start_line(writer);
	text_print(text, "{\n");
	writer->depth++;
	write_search(writer, part, number, type.data);
	start_line(writer);
	text_print(text,
		   "const unsigned long cape_from = cape_begins ? 0 : cape_low, cape_rounds = "
		   "cape_begins ? cape_low : cape_count_%u - cape_low;\n",
		   number);
	start_line(writer);
	text_print(text, "const %s cape_start = (%s)(", type.data, type.data);
	write_first(writer, text, number);
	text_print(text, " + (long)cape_from * cape_step_%u);\n", number);
	start_line(writer);
	text_print(text, "if (cape_rounds)");
	open_scope(writer);
	start_line(writer);
	text_print(text, "const unsigned long cape_count_%u = cape_rounds;\n", number);
	start_line(writer);
	text_print(text, "const __typeof__(cape_start) ");
	write_first(writer, text, number);
	text_print(text, " = cape_start");
	if (shared_out)
		text_print(text,
			   ", cape_last = (__typeof__(cape_start))(cape_start + "
			   "(long)(cape_rounds - 1) * cape_step_%u)",
			   number);
	text_print(text, ";\n");
	writer->cuts++;
	write_inside(writer, part);
	writer->cuts--;
	close_scope(writer);
	close_scope(writer);
	text_free(&type);
}

static void write_one_if(struct writer *writer, const struct part_of_set *part)
{
	for (size_t i = 0; i < writer->dimensions.count; i++)
		if (value_has(part->condition, writer->dimensions.items[i])) {
			write_cut(writer, part, writer->dimensions.items[i]);
			return;
		}
	start_line(writer);
	text_print(writer->text, "if (");
	write_condition(writer, part);
	text_print(writer->text, ")");
	open_scope(writer);
	write_inside(writer, part);
	close_scope(writer);
}

/* What is inside, for each of both conditions, or for the one. */
static void write_if(struct writer *writer, const struct part_of_set *part)
{
	if (!part->beside) {
		write_one_if(writer, part);
		return;
	}
	start_line(writer);
	text_print(writer->text, "for (int cape_side = 0; cape_side < 2; cape_side++)");
	open_scope(writer);
	write_one_if(writer, part);
	close_scope(writer);
}

static void write_part(struct writer *writer, const struct part_of_set *part)
{
	if (even_is_empty(writer->telling, part))
		return;
	switch (part->kind) {
	case PART_ACCESS:
		write_access(writer, part);
		break;
	case PART_LOOP:
		write_loop(writer, part);
		break;
	case PART_IF:
		write_if(writer, part);
		break;
	default:
		break;
	}
}

/* -- what decides ------------------------------------------------------------------------------ */

static void write_need(struct writer *writer, const struct part_of_set *part)
{
	if (part->kind == PART_ACCESS && part->set == SET_INDEX && part->early && !part->joined) {
		start_line(writer);
		text_print(writer->text, "cape_plan_need(");
		write_address(writer, part->object);
		text_print(writer->text, ", sizeof(");
		write_value(writer, part->object);
		text_print(writer->text, ")");
		if (part->elements)
			text_print(writer->text, " * %lu", part->elements);
		text_print(writer->text, ");\n");
	}
	for (size_t i = 0; i < part->parts.count; i++)
		write_need(writer, part->parts.items[i]);
}

void set_text_write_need(struct unit *unit, const struct directive *directive, struct text *text,
			 unsigned int depth)
{
	struct writer writer = {.unit = unit,
				.directive = directive,
				.sets = directive->sets,
				.text = text,
				.depth = depth};

	write_need(&writer, directive->sets->all);
}

void set_text_write_somewhere_size(const struct directive *directive, struct text *text)
{
	const struct sets *sets = directive->sets;
	bool known = true;

	for (size_t i = 0; i < sets->somewhere.count; i++)
		known &= sets->somewhere.items[i] != NULL;
	text_print(text, "0");
	for (size_t i = 0; i < sets->somewhere.count && known; i++)
		text_print(text, " + sizeof(%s)", sets->somewhere.items[i]->word);
}

void set_text_write_somewhere(const struct directive *directive, struct text *text,
			      unsigned int depth)
{
	const struct sets *sets = directive->sets;

	for (size_t i = 0; i < sets->somewhere.count; i++) {
		indent(text, depth);
		if (sets->somewhere.items[i])
			text_print(text, "cape_plan_reads((unsigned long)&%s, sizeof(%s));\n",
				   sets->somewhere.items[i]->word, sets->somewhere.items[i]->word);
		else
			text_print(text, "cape_plan_reads(0, 0);\n");
	}
}

/* All of a variable. */
static void write_somewhere(const struct writer *writer, const char *name)
{
	if (is_plan(writer))
		text_print(
			writer->text,
			"cape_plan_box(CAPE_SET_READ, (unsigned long)&%s, sizeof(%s), 0, 0, 0);\n",
			name, name);
	else
		text_print(writer->text,
			   "cape_box(CAPE_SET_READ, \"%s\", 0, (unsigned long)&%s, sizeof(%s), "
			   "0);\n",
			   name, name, name);
}

void set_text_write_pipeline(struct unit *unit, const struct pipeline *pipeline, struct text *text,
			     unsigned int depth, enum telling telling)
{
	const struct sets *sets = &pipeline->sets;
	struct writer writer = {.unit = unit,
				.directive = pipeline->directive,
				.sets = sets,
				.text = text,
				.telling = telling,
				.may_write = true,
				.depth = depth,
				.changed = UINT_MAX,
				.form = FORM_FIRST};

	write_inside(&writer, sets->all);
	for (size_t i = 0; i < sets->somewhere.count; i++) {
		start_line(&writer);
		write_somewhere(&writer, sets->somewhere.items[i]->word);
	}
	list_free(&writer.dimensions);
}

static bool is_written(const struct directive *directive)
{
	return directive->sets && sets_know_writes(directive->sets);
}

void set_text_write_end(const struct unit *unit, const struct directive *directive,
			struct text *text, unsigned int depth)
{
	if (!unit->tells_sets || !is_written(directive))
		return;
	indent(text, depth);
	text_print(text, "cape_sets_end();\n");
}

void set_text_write(struct unit *unit, const struct directive *directive, struct text *text,
		    unsigned int depth)
{
	if (!unit->tells_sets || !is_written(directive))
		return;
	indent(text, depth);
	text_print(text, "if (cape_sets_begin(%s)) {\n",
		   directive->sets->unknown.count ? "0"
		   : directive->sets->said.count  ? "CAPE_SETS_CLOSED | CAPE_SETS_SAID"
						  : "CAPE_SETS_CLOSED");
	set_text_write_boxes(unit, directive, text, depth + 1, TELL_CHECKED);
	indent(text, depth + 1);
	text_print(text, "cape_sets_ready();\n");
	indent(text, depth);
	text_print(text, "}\n");
}

void set_text_write_boxes(struct unit *unit, const struct directive *directive, struct text *text,
			  unsigned int depth, enum telling telling)
{
	static const enum value_rows rows[] = {
		[TELL_CHECKED] = VALUE_ROWS_NONE,
		[TELL_PLANNED] = VALUE_ROWS_POINTERS,
		[TELL_LISTED] = VALUE_ROWS_ALL,
	};
	unsigned int number = directive->loop_count - 1;
	struct writer writer = {.unit = unit,
				.directive = directive,
				.sets = directive->sets,
				.text = text,
				.telling = telling,
				.rows = rows[telling],
				.depth = depth,
				.changed = number,
				.form = FORM_FIRST};

	start_line(&writer);
	text_print(text, "const unsigned long cape_count_%u = %s;\n", number,
		   number	      ? "cape_run"
		   : is_plan(&writer) ? "(cape_right - cape_left - 1) / cape_stride + 1"
				      : "cape_right - cape_left");
	start_line(&writer);
	text_print(text, "const long cape_step_%u = %s(", number,
		   directive->loops[number].minus ? "-" : "");
	loop_write_step(unit, directive, text);
	text_print(text, is_plan(&writer) ? ") * (long)cape_stride;\n" : ");\n");
	write_rounds(&writer, writer.sets->all, number);
	list_free(&writer.dimensions);
}

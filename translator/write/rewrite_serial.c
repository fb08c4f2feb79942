/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite_serial.c - simd, target, teams and the like: loops and blocks that run as they stand. */
#include "rewrite_serial.h"

#include <stdlib.h>
#include <string.h>

#include "check/sharing.h"
#include "depend_text.h"
#include "read/construct.h"
#include "read/unit.h"
#include "shadow.h"

static bool has_clause(const struct directive *directive, enum clause_kind kind)
{
	return directive_clause(directive, kind) != NULL;
}

/* Whether a limit of threads may hold inside that did not before. */
bool serial_limits_threads(const struct directive *directive)
{
	return directive->teams || has_clause(directive, CLAUSE_THREAD_LIMIT);
}

/* In a scope of its own, which the call of cape_teams_end() ends, too. */
void serial_write_teams(const struct unit *unit, const struct directive *directive,
			struct text *text)
{
	static const enum clause_kind kinds[] = {CLAUSE_NUM_TEAMS, CLAUSE_THREAD_LIMIT};
	int i;

	text_print(text, "\tint cape_before = cape_teams_begin(");
	for (i = 0; i < 2; i++) {
		const struct clause *clause = directive_clause(directive, kinds[i]);

		if (clause)
			text_print(text, "(%.*s)",
				   (int)(clause->argument.to - clause->argument.from),
				   unit->source.text.data + clause->argument.from);
		else
			text_print(text, "0");
		text_print(text, i ? ");\n" : ", ");
	}
}

/* Whether a loop variable is declared outside, and private without a clause. */
static bool has_own_loop_variable(const struct directive *directive)
{
	unsigned int i;

	for (i = 0; i < directive->loop_count; i++)
		if (!directive->loops[i].declaration.to &&
		    sharing_of(directive, directive->loops[i].variable) == SHARING_PRIVATE)
			return true;
	return false;
}

/* What each thread is to have of its own while the loop runs, and the last value of which stays. */
typedef LIST(unsigned int) variable_list;

/* Those that are lastprivate, as the variables of a simd's loops are, where a team shares them. */
static void find_kept(const struct unit *unit, const struct directive *directive,
		      variable_list *kept)
{
	size_t i, j;

	for (i = 0; directive->kind == DIRECTIVE_SIMD && i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		for (j = 0; clause->kind == CLAUSE_LASTPRIVATE && j < clause->items.count; j++) {
			unsigned int variable = clause->items.items[j].variable;

			if (unit->tree.variables.items[variable].shape == SHAPE_SCALAR &&
			    sharing_is_shared_at(unit, directive->parent, variable))
				*list_add(kept) = variable;
		}
	}
}

static void write_kept(const struct unit *unit, const variable_list *kept, struct text *text,
		       const char *format)
{
	for (size_t i = 0; i < kept->count; i++) {
		const struct variable *variable = &unit->tree.variables.items[kept->items[i]];
		char *name = format_text("%.*s", (int)variable->length,
					 unit->source.text.data + variable->offset);
		const char *at = format, *mark;

		for (; (mark = strchr(at, '@')); at = mark + 1)
			text_print(text, "%.*s%s", (int)(mark - at), at, name);
		text_print(text, "%s", at);
		free(name);
	}
}

static void open_kept(const struct unit *unit, const variable_list *kept, struct text *text)
{
	if (!kept->count)
		return;
	write_kept(unit, kept, text, "\t__typeof__(@) *cape_original_@ = &@;\n");
	text_print(text, "\t{\n");
	write_kept(unit, kept, text, "\t\t__typeof__(*cape_original_@) @ = *cape_original_@;\n");
}

/* A thread whose loop has changed nothing leaves what another one has stored. */
static void close_kept(const struct unit *unit, const variable_list *kept, struct text *text)
{
	if (!kept->count)
		return;
	write_kept(unit, kept, text,
		   "\t\tif (@ != *cape_original_@)\n\t\t\t*cape_original_@ = @;\n");
	text_print(text, "\t}\n");
}

/* A loop or block that runs as it stands. */
void rewrite_serial(struct unit *unit, const struct directive *directive)
{
	bool copies = has_clause(directive, CLAUSE_PRIVATE) ||
		      has_clause(directive, CLAUSE_FIRSTPRIVATE) ||
		      has_clause(directive, CLAUSE_IN_REDUCTION) ||
		      has_own_loop_variable(directive);
	struct text before = {0}, after = {0};
	variable_list kept = {0};
	unsigned int depth = 1;

	find_kept(unit, directive, &kept);
	text_print(&before, "{\n");
	if (serial_limits_threads(directive))
		serial_write_teams(unit, directive, &before);
	if (!depend_write(unit, directive, &before, 1) && !serial_limits_threads(directive) &&
	    !copies && !kept.count) {
		text_free(&before);
		construct_remove(unit, directive);
		return;
	}
	open_kept(unit, &kept, &before);
	if (copies)
		shadow_open(unit, directive, &before, &depth);
	construct_open(unit, directive, before.data);
	if (copies)
		shadow_close(unit, directive, &after, &depth, 1);
	close_kept(unit, &kept, &after);
	if (serial_limits_threads(directive))
		text_print(&after, "\tcape_teams_end(cape_before);\n");
	text_print(&after, "}\n");
	construct_close(unit, directive, after.data);
	list_free(&kept);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* translate.c - runs the stages; each one only sees a unit that the ones before found correct. */
#include "translate.h"

#include <stdio.h>
#include <string.h>

#include "write/emit.h"
#include "model/backwards.h"
#include "model/explain.h"
#include "model/pipeline.h"
#include "model/said_trees.h"
#include "model/sets.h"
#include "model/untouched.h"
#include "check/anywhere.h"
#include "check/bind.h"
#include "check/loop.h"
#include "write/look.h"
#include "write/rewrite.h"
#include "check/sharing.h"
#include "check/synchronise.h"
#include "check/task.h"
#include "read/letters.h"
#include "read/tree_lost.h"
#include "read/unit.h"
#include "check/writes.h"

static void unit_free(struct unit *unit)
{
	list_free(&unit->statements);
	untouched_free(&unit->touches);
	pipelines_free(unit);
	tree_free(&unit->tree);
	directives_free(&unit->directives);
	said_free(&unit->said);
	source_free(&unit->source);
	syntax_free(&unit->syntax);
}

static bool analyse(struct unit *unit, const struct translation *translation)
{
	if (tree_read(unit, translation->standard) < 0) {
		fprintf(stderr, "cape-cc: libclang cannot parse '%s'\n", translation->main_file);
		unit->errors++;
		return false;
	}
	if (unit->tree.errors && !translation->compiler_accepts(translation->context)) {
		unit->errors++;
		return false;
	}
	if (unit->tree.errors)
		tree_find_lost(unit);
	if (unit->errors)
		return false;
	bind_directives(unit);
	if (unit->errors)
		return false;
	loops_read(unit);
	if (unit->errors)
		return false;
	sharing_resolve(unit);
	if (unit->errors)
		return false;
	sharing_find_shared(unit);
	said_trees_read(unit, translation->standard);
	if (unit->errors)
		return false;
	task_find_labels(unit);
	anywhere_find(unit);
	writes_find(unit);
	untouched_find(unit);
	return !unit->errors;
}

static bool explains(const struct translation *translation)
{
	return translation->form == FORM_EXPLANATION || translation->form == FORM_EXPLANATION_JSON;
}

static void write_form(struct unit *unit, const struct translation *translation,
		       const sets_list *sets, struct text *out)
{
	switch (translation->form) {
	case FORM_EXPLANATION:
		explain(unit, sets, out);
		return;
	case FORM_EXPLANATION_JSON:
		explain_json(unit, sets, out);
		return;
	default:
		break;
	}
	rewrite_unit(unit);
	if (unit->errors)
		return;
	if (translation->form == FORM_READER)
		emit_for_reader(unit, translation->main_file, out);
	else
		emit_for_compiler(unit, translation->cape_header, out);
}

enum translate_result translate(const struct translation *translation, struct text *preprocessed,
				struct text *out)
{
	enum translate_result result = TRANSLATE_FAILED;
	struct unit unit = {0};
	sets_list sets = {0};

	unit.source.text = *preprocessed;
	unit.tells_sets = translation->tells_sets;
	unit.tells_plans = translation->tells_plans && !translation->tells_sets;
	unit.spreads = translation->spreads;
	*preprocessed = (struct text){0};
	letters_unify(&unit.source.text);
	source_scan(&unit.source);
	directives_read(&unit);
	said_read(&unit);
	synchronise_find(&unit);
	if (unit.errors)
		goto out;
	if (!unit.directives.list.count && !unit.synchronisation.any &&
	    !look_pauses(&unit.source) && translation->form == FORM_COMPILER) {
		result = TRANSLATE_NOTHING;
		goto out;
	}
	if (!analyse(&unit, translation))
		goto out;
	if (explains(translation) || unit.tells_sets || unit.tells_plans || unit.said.count)
		sets_find(&unit, &sets);
	if (unit.errors)
		goto out;
	if (unit.tells_plans || unit.tells_sets)
		pipelines_find(&unit);
	backwards_find(&unit);
	write_form(&unit, translation, &sets, out);
	if (unit.errors)
		goto out;
	result = TRANSLATE_DONE;
out:
	sets_free(&sets);
	unit_free(&unit);
	return result;
}

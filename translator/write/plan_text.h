/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_text.h - writes the description of a loop for all nodes (cape_plan.h). */
#ifndef CAPE_TRANSLATOR_PLAN_TEXT_H
#define CAPE_TRANSLATOR_PLAN_TEXT_H

#include <stdbool.h>

#include "read/text.h"

struct unit;
struct directive;

/* Decides which loops are described. */
void plan_text_find(struct unit *unit);

/* Writes what loops are described in which threads hand data on to each other. */
void plan_text_write_pipelines(struct unit *unit);

/* Whether any is. */
bool plan_text_any(const struct unit *unit);

/* Before a region, if it begins with a loop that is known. */
void plan_text_write_region(const struct unit *unit, const struct directive *directive,
			    struct text *text);

/*
 * Before the sync point of DIRECTIVE, if nothing comes between that and the next one that the run
 * time need know of.
 */
void plan_text_write_after(const struct unit *unit, const struct directive *directive,
			   struct text *text);

/* Before the first chunk of DIRECTIVE's loop, if all of that is known. */
void plan_text_write(struct unit *unit, const struct directive *directive, struct text *text,
		     unsigned int depth);

#endif

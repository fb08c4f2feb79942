/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task_text.h - the pragma by which the compiler makes a function of a task's block. */
#ifndef CAPE_TRANSLATOR_TASK_TEXT_H
#define CAPE_TRANSLATOR_TASK_TEXT_H

#include <stdbool.h>

#include "read/text.h"

struct unit;
struct directive;

/* Whether the text has tasks, and so needs cape_outlined_tasks.h. */
bool task_any(const struct unit *unit);

/* Before the loop that makes the tasks of a taskloop: what its if and final clauses say. */
void task_write_flags(const struct unit *unit, const struct directive *task, struct text *text);

/* Adds the lines before the block: what the run time is to know of the task, and the pragma. */
void task_write_pragma(const struct unit *unit, const struct directive *task, struct text *text,
		       unsigned int depth);

#endif

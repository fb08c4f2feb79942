/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite_task.h - the calls of tasks. */
#ifndef CAPE_TRANSLATOR_REWRITE_TASK_H
#define CAPE_TRANSLATOR_REWRITE_TASK_H

#include "read/text.h"

struct unit;
struct directive;

/* task and taskloop */
void rewrite_task(struct unit *unit, const struct directive *directive);
void rewrite_taskgroup(struct unit *unit, const struct directive *directive);
/* After the block of a single construct with labels: all nodes run the tasks from there. */
void rewrite_task_labels(const struct directive *single, struct text *text, unsigned int depth);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * depend.h - the order of tasks that one task makes, by the memory that their depend clauses name.
 */
#ifndef CAPE_DEPEND_H
#define CAPE_DEPEND_H

#include "threads/worker.h"

/* One item of a depend clause. */
struct cape_depend_item {
	enum cape_depend kind;
	const volatile void *item;
};

/*
 * TASK comes after others that PARENT has made, as the COUNT items say; NULL: the task that runs
 * here as soon as cape_dependence_ready() holds.
 */
struct cape_dependence *cape_dependence_new(struct cape_worker *worker, struct cape_task *parent,
					    struct cape_task *task,
					    const struct cape_depend_item *item, size_t count);
/* All is prepared for it to be run by others; whether it is ready now, else it is pushed later. */
bool cape_dependence_release(struct cape_dependence *dependence);
bool cape_dependence_ready(void *dependence);

/* What DEPENDENCE belongs to is done: others become ready.  It is not used afterwards. */
void cape_dependence_done(struct cape_worker *worker, struct cape_dependence *dependence);

/* Forgets all that TASK's children have named: they are done, or there will be no more. */
void cape_dependences_forget(struct cape_task *task);

#endif

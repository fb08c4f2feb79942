// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * death.h - where in its code a program dies of a signal, for the line that tells the user.
 */
#ifndef CAPE_DEATH_H
#define CAPE_DEATH_H

#include <signal.h>
#include "base/context.h"

/* From now on; a handler of the program's own goes before. */
void cape_death_start(struct cape_runtime *runtime);

/* ACTION, as a program is told it: the run time's is none. */
void cape_death_hide(struct sigaction *action);

#endif

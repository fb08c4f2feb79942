/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keeper.h - a process in the background that keeps another one locked.
 *
 * A lock lasts as long as the tracer that asked for it.  So "capectl lock" leaves one after, and
 * later commands have it carry out what they want.  It ends with the process, or at "unlock".
 */
#ifndef CAPE_KEEPER_H
#define CAPE_KEEPER_H

#include "tools/attached.h"

/* Locks as ORDER says, and leaves a keeper after.  An exit status. */
int keeper_start(const struct attached_order *order, const struct attached_streams *streams);

/* Has the keeper of ORDER's process carry it out; false: there is none. */
bool keeper_ask(const struct attached_order *order, const struct attached_streams *streams,
		int *exit_status);

/* Calls VISIT for each process that has a keeper. */
void keeper_each(void (*visit)(void *context, pid_t pid), void *context);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tell.h - the profile for people and for programs.
 */
#ifndef CAPE_MONITOR_PROFILE_TELL_H
#define CAPE_MONITOR_PROFILE_TELL_H

#include "name.h"
#include "sum.h"

/* To stderr. */
void tell_table(const struct naming *naming, const struct sum *sum);
void tell_json(const struct naming *naming, const struct sum *sum);

/* "prog.c:12 parallel for" */
void tell_place(const struct cape_profile_construct *construct, char *text, size_t size);

/* "exchange" */
const char *tell_phase(enum cape_phase phase);

/*
 * Calls SAY with each line of why the construct costs what it does, as far as that was counted.
 * SMALL: also what is little of all that it moved.
 */
void tell_why(const struct naming *naming, const struct sum *sum,
	      const struct sum_construct *construct, bool small,
	      void (*say)(void *context, const char *line), void *context);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stand_in.c - hands calls back to the C library, or has libcape's functions run apart.
 */
#include "base/stand_in.h"

#include <string.h>

void (*cape_stand_ins_apart)(void);

void cape_stand_ins_leave(struct cape_stand_in *first, struct cape_stand_in *end)
{
	for (struct cape_stand_in *at = first; at < end; at++) {
		void *own = dlsym(RTLD_NEXT, at->name);

		if (own)
			at->function = own;
	}
	/* What it does not have is no mistake of the program's, which may ask for it. */
	dlerror();
}

static bool is_among(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

void cape_stand_ins_take(struct cape_stand_in *first, struct cape_stand_in *end, bool apart,
			 const char *const *stay, size_t count)
{
	for (struct cape_stand_in *at = first; at < end; at++)
		at->function = apart && !is_among(at->name, stay, count) ? at->apart : at->here;
}

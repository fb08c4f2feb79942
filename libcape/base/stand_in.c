// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stand_in.c - hands calls back to the C library.
 */
#include "base/stand_in.h"

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

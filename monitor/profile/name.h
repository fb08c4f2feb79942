/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name.h - what the user calls memory.
 */
#ifndef CAPE_MONITOR_PROFILE_NAME_H
#define CAPE_MONITOR_PROFILE_NAME_H

#include "base/node.h"
#include "debug/debug_info.h"
#include "sum.h"

struct naming {
	const struct node *node;
	struct debug_info info;
};

void naming_open(struct naming *naming, const struct node *node);
void naming_close(struct naming *naming);

/* Writes to TEXT what OBJECT of CONSTRUCT is called; false: it has no name, and is described. */
bool naming_tell(const struct naming *naming, const struct cape_profile_construct *construct,
		 const struct cape_profile_object *object, char *text, size_t size);

/* "12.3 MB", in 16 bytes. */
const char *naming_bytes(uint64_t bytes, char *text);

#endif

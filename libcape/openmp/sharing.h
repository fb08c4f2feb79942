/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sharing.h - variables of which one thread's value becomes all others'.
 */
#ifndef CAPE_SHARING_H
#define CAPE_SHARING_H

#include "base/context.h"

/* With the next sync point this node GIVEs VARIABLE's SIZE bytes to all others, or is given them.
 */
void cape_copyprivate_add(struct cape_runtime *runtime, volatile void *variable, uint64_t size,
			  bool give);

#endif

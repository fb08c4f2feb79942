// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * look_exports.c - the call of loops that wait, as the object in use does it.
 */
#include "openmp/constructs.h"

CAPE_EXPORT void cape_look_at(const struct cape_place *place, int waits)
{
	cape_constructs->look_at(place, waits);
}

/* So that the nodes' is linked where there are such loops: nodes show them what they changed. */
__attribute__((used)) static void (*const of_nodes)(const struct cape_place *place,
						    int waits) = cape_node_look_at;

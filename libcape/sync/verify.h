/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verify.h - cape-run --verify: is shared memory bit-identical on all nodes?
 */
#ifndef CAPE_VERIFY_H
#define CAPE_VERIFY_H

#include "base/context.h"

/*
 * Compares shared memory of all nodes; the first difference ends the run with the variable, the
 * place and the values.  ALL as for cape_shared_each().  PLACE: the construct that was just met.
 */
void cape_verify(struct cape_runtime *runtime, bool all, const struct cape_place *place);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * affinity.h - the format of the line that says where a thread runs.
 */
#ifndef CAPE_AFFINITY_H
#define CAPE_AFFINITY_H

#include "base/context.h"

/* What OMP_AFFINITY_FORMAT or omp_set_affinity_format() has set, or OpenMP's own. */
const char *cape_affinity_format(const struct cape_runtime *runtime);

#endif

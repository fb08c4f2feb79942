/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * settings.h - OpenMP's internal control variables, as the OMP_* variables set them at the start.
 */
#ifndef CAPE_SETTINGS_H
#define CAPE_SETTINGS_H

struct cape_runtime;

/*
 * Reads the OMP_* variables that have a meaning for CAPE: OMP_NUM_THREADS (of a list the first),
 * OMP_THREAD_LIMIT, OMP_SCHEDULE, OMP_DYNAMIC, OMP_MAX_ACTIVE_LEVELS, OMP_MAX_TASK_PRIORITY,
 * OMP_WAIT_POLICY, OMP_STACKSIZE, OMP_NUM_TEAMS, OMP_TEAMS_THREAD_LIMIT, OMP_ALLOCATOR,
 * OMP_AFFINITY_FORMAT, OMP_DISPLAY_AFFINITY, OMP_PROC_BIND, OMP_PLACES, OMP_DISPLAY_ENV.  One that
 * is malformed is ignored with a warning.
 */
void cape_settings_start(struct cape_runtime *runtime);

#endif

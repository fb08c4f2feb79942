/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cape_outlined_tasks.h - redirects the functions that compilers call for `#pragma omp task` to
 * libcape (see cape_outlined.h).
 */
#ifndef CAPE_OUTLINED_TASKS_H
#define CAPE_OUTLINED_TASKS_H

#include "cape_outlined.h"

#ifdef __clang__
CAPE_RENAMES("__kmpc_global_thread_num", "cape_kmpc_global_thread_num");
CAPE_RENAMES("__kmpc_omp_task_alloc", "cape_kmpc_omp_task_alloc");
CAPE_RENAMES("__kmpc_omp_task", "cape_kmpc_omp_task");
#else
CAPE_RENAMES("GOMP_task", "cape_gomp_task");
#endif

#endif

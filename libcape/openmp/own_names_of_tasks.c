/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * own_names_of_tasks.c - the routines of tasks under their own names: apart, since nodes of a
 * program that has tasks do not exchange by need.
 */
#include "openmp/own_names.h"

CAPE_OWN_NAMES("omp_in_final, omp_in_explicit_task");

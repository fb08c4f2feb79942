/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * own_names_of_locks.c - the routines of locks under their own names: apart, since a program
 * that has them takes what others change.
 */
#include "openmp/own_names.h"

CAPE_OWN_NAMES("omp_init_lock, omp_init_lock_with_hint, omp_init_nest_lock_with_hint, "
	       "omp_destroy_lock, omp_set_lock, omp_unset_lock, omp_test_lock, omp_init_nest_lock, "
	       "omp_destroy_nest_lock, omp_set_nest_lock, omp_unset_nest_lock, omp_test_nest_lock");

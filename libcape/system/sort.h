/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sort.h - sorting without memory: the C library's qsort() calls malloc, which is the program's.
 */
#ifndef CAPE_SORT_H
#define CAPE_SORT_H

#include <stddef.h>

#define CAPE_SORT_SIZE 64 /* bytes of an element at most */

/* Sorts COUNT elements of SIZE bytes, as COMPARE of qsort() says; equal ones in any order. */
void cape_sort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));

#endif

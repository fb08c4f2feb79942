/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - the bytes that a locked process has changed.
 */
#ifndef CAPE_DIFF_H
#define CAPE_DIFF_H

#include "print.h"

/*
 * Adds to LIST what the process at the attach descriptor DESCRIPTOR, which stands still, has
 * changed since it was locked.  0 or an errno.
 */
int diff_print(int descriptor, struct print_list *list);

/*
 * The same, between the beginnings of two epochs, whatever the process does meanwhile.  What was
 * not mapped at the first counts as zeros.
 */
int diff_epochs(int descriptor, uint64_t from, uint64_t to, struct print_list *list);

#endif

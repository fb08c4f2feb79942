/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list.h - lists that grow.
 */
#ifndef CAPE_LIST_H
#define CAPE_LIST_H

#include <stddef.h>

/*
 * Makes room for one more entry of SIZE bytes after the COUNT in LIST.  Returns the list, which
 * may have moved; NULL: out of memory, and LIST and *CAPACITY are as they were.
 */
void *list_room(void *list, size_t count, size_t *capacity, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_shelf.h - things found by a number of 64 bits: locks, loops, singles, groups of tasks.
 */
#ifndef CAPE_SERVICE_SHELF_H
#define CAPE_SERVICE_SHELF_H

#include <stddef.h>
#include <stdint.h>

#define SHELF_BUCKETS 256

/* A thing begins with this. */
struct shelf_item {
	struct shelf_item *next;
	uint64_t id;
};

struct shelf {
	struct shelf_item *bucket[SHELF_BUCKETS];
};

/* The thing with that number, or NULL. */
void *shelf_find(const struct shelf *shelf, uint64_t id);

/* The thing with that number; if there is none, a new one of SIZE bytes, zero.  NULL: ENOMEM. */
void *shelf_get(struct shelf *shelf, uint64_t id, size_t size);

/* Takes out and frees a thing that is there. */
void shelf_remove(struct shelf *shelf, void *thing);

/* Some thing, or NULL when the shelf is empty. */
void *shelf_any(const struct shelf *shelf);

#endif

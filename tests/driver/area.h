/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * area.h - an area of a traced child's memory, and copies of what it was at the beginning of
 * epochs.
 */
#ifndef TESTS_AREA_H
#define TESTS_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "module.h"
#include "uapi/cape_epoch.h"

#define PAGES 96

/* What is mapped at a page of the area.  Page I of the file has but one letter of the alphabet. */
enum kind { NOTHING, ANONYMOUS, OF_FILE };

/* An instant, as the test keeps it. */
struct copy {
	uint64_t epoch; /* 0: free */
	unsigned char kind[PAGES];
	unsigned char bytes[PAGES][PAGE];
};

/* In memory that child and test share. */
struct shared {
	uint64_t random;
	unsigned char kind[PAGES];
};

extern int device, area_file;
extern int descriptor; /* the driver's, of the child */
extern pid_t child;
extern unsigned char *area;
extern struct shared *shared;

/* Half of it is anonymous, half of it a file's, and half of each written. */
void make_area(void);
/* In the child: some pages of it are the child's alone. */
void own_area(void);
/* The child is no more, nor what it said of itself. */
void stop_child(void);

/* On the child's descriptor; -1 and errno.  CAPE_EPOCH gives the number. */
int lock_area(uint32_t mode);
int64_t begin_epoch(void);
int about_epoch(unsigned long number, uint64_t epoch); /* CAPE_DROP_EPOCH, CAPE_VIEW */
int rollback_to(uint64_t epoch);
struct cape_epochs get_epochs(struct cape_epoch_entry *entry, uint32_t capacity);
uint64_t twins(void);

/* What the child, which stands still, has in its area. */
void take_copy(struct copy *copy, uint64_t epoch);
/* Is what the driver has of the epoch what the copy has?  How many pages are not. */
size_t wrong_pages(const struct copy *copy);
/*
 * Asks which pages may differ, CAPACITY extents a call; they are marked in pages_told.  How many
 * that do, with the same mapped at them, were not told; or PAGES.
 */
size_t untold_pages(const struct copy *from, const struct copy *to, uint32_t capacity);
extern bool pages_told[PAGES];

#endif

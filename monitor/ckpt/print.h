/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.h - what the commands print alike: sizes, and the bytes at an address.
 */
#ifndef CAPE_CKPT_PRINT_H
#define CAPE_CKPT_PRINT_H

#include "content.h"
#include "label.h"

/* "12.3 MB", in the PRINT_SIZE bytes of TEXT. */
#define PRINT_SIZE 32
const char *print_size(uint64_t bytes, char *text);

/* Items of a list in JSON, each in braces, or lines. */
struct print_list {
	bool json;
	uint64_t count;
	struct label *label;
	/* Whose bytes are shown; the second is NULL if there is but one. */
	struct content_cursor *side[2];
	const struct cape_stamp *stamp; /* of what is shown, in JSON; or NULL */
};

/*
 * Prints what is at ADDRESS, as far as it lies before END and is one thing, with its name and its
 * value on each side; returns where it ends.
 */
uint64_t print_element(struct print_list *list, uint64_t address, uint64_t end);

#endif

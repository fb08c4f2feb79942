/* SPDX-License-Identifier: GPL-2.0-or-later */
/* said.h - #pragma cape: what the program itself says that a loop reads and writes. */
#ifndef CAPE_TRANSLATOR_SAID_H
#define CAPE_TRANSLATOR_SAID_H

#include <stdbool.h>

#include "source.h"

struct syntax;
struct unit;

enum said_set {
	SAID_READS,
	SAID_WRITES,
	SAID_SETS, /* how many */
};

/* [lower], or [lower:length] */
struct said_subscript {
	struct range bracket; /* from [ to after ] */
	struct range lower;   /* empty: 0 */
	struct range length;  /* empty: up to the end */
	bool is_range;
};

/* An object, or many: p->rows[i][0:n] */
struct said_item {
	enum said_set set;
	struct range text;
	LIST(struct said_subscript) subscripts; /* those that are in no other brackets */
	/* set by said_trees: its address, and the variables of its ranges with their lengths */
	struct syntax *tree;
	/* set by said_walk: the variable that it begins with, or NULL */
	const struct syntax *base;
};

/* One pragma. */
struct said {
	struct range line;
	unsigned int directive; /* of the loop: its index */
	bool has[SAID_SETS];	/* whether it says something of the set, be it nothing */
	LIST(struct said_item) items;
};

typedef LIST(struct said) said_list;

/* Reads the pragmas and finds their loops' directives; reports what is wrong. */
void said_read(struct unit *unit);
void said_free(said_list *list);

#endif

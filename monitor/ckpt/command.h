/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - what cape-ckpt is asked to do, and who does it.
 */
#ifndef CAPE_CKPT_COMMAND_H
#define CAPE_CKPT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cape.h"

/* --op: the value of TYPE at ADDRESS is not replaced, but combined by OP. */
struct target {
	uint64_t address;
	enum cape_operator op;
	enum cape_type type;
};

struct order {
	bool json;
	bool brief;
	const char *output;    /* -o, or NULL */
	const char *structure; /* --as, or NULL */
	const char *hdf5;      /* --hdf5, or NULL */
	struct target *target;
	size_t targets;
	char **file;
	int files;
};

/* Exit status, as diff(1) has it. */
enum { STATUS_SAME, STATUS_DIFFERENT, STATUS_TROUBLE };

/* Carry out an order with as many files as they need; they report errors. */
int command_info(const struct order *order);
int command_verify(const struct order *order); /* STATUS_DIFFERENT: a file is damaged */
int command_show(const struct order *order);
int command_diff(const struct order *order);
int command_equal(const struct order *order);
int command_merge(const struct order *order);
int command_fill(const struct order *order); /* merge, the last file being an increment */
int command_exclude(const struct order *order);
int command_encode(const struct order *order);
int command_export(const struct order *order);

/* info of a FOLDER of saved runs; SHOWN counts what was printed. */
int saves_info(const struct order *order, const char *folder, int *shown);

struct content;

/* Merges all files, and takes out what --op names.  False: a message was printed. */
bool combine_files(const struct order *order, struct content *all);

/* The type or operator that is called TEXT; false: there is none. */
bool command_type(const char *text, enum cape_type *type);
bool command_operator(const char *text, enum cape_operator *op);

/* What it is called; "unknown": there is no such one. */
const char *command_type_name(enum cape_type type);
const char *command_operator_name(enum cape_operator op);

#endif

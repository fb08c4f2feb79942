/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * label.h - what the user calls an address of a checkpoint.
 */
#ifndef CAPE_CKPT_LABEL_H
#define CAPE_CKPT_LABEL_H

#include <stdbool.h>
#include <stdint.h>
#include "debug/debug_info.h"
#include "debug/symbol.h"
#include "file/reader.h"

struct label {
	char *program; /* NULL: there are no names */
	uint64_t bias; /* where it was loaded */
	struct debug_info info;
	struct cape_runs variables; /* its static ones, or those of them that do not overlap */
	/* The variable that was asked for last. */
	struct symbol symbol;
	bool typed;
	struct debug_variable variable;
};

/* Names for the addresses of READER's file; without its program there are none. */
void label_open(struct label *label, struct file_reader *reader);
void label_close(struct label *label);

/* A thing without parts that the program has at an address. */
struct label_part {
	char name[256];	 /* "x[3].y", or "x + 8"; empty: unknown */
	char place[160]; /* "prog.c:12", where it is declared; or empty */
	uint64_t address, size;
	bool typed;
	Dwarf_Die type;
};

/* What is at ADDRESS; without a name, it is the rest of a word. */
void label_find(struct label *label, uint64_t address, struct label_part *part);

#endif

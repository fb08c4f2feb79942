/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naming.h - what is at the addresses of a process that may have ended, by the files that it had
 * mapped.
 */
#ifndef CAPE_NAMING_H
#define CAPE_NAMING_H

#include <elfutils/libdwfl.h>
#include <stdint.h>
#include <stdio.h>
#include "maps.h"

struct naming {
	struct maps maps;
	Dwfl *files;
};

/* MAPS is the text of /proc/PID/maps, which must stay where it is.  0, or an errno. */
int naming_open(struct naming *naming, const char *maps);
void naming_close(struct naming *naming);

/* Writes to OUT whose instruction is at ADDRESS: "function (file.c:12) mapping". */
void naming_code(const struct naming *naming, uint64_t address, FILE *out);

/* The same as perf writes it: "function+0x12 (mapping)", or "[unknown] (mapping)". */
void naming_frame(const struct naming *naming, uint64_t address, FILE *out);

/* Writes to OUT the variable that is at ADDRESS, as "counter+8"; nothing if there is none. */
void naming_variable(const struct naming *naming, uint64_t address, FILE *out);

/* The file whose variables are at ADDRESS, or NULL. */
Dwfl_Module *naming_variables(const struct naming *naming, uint64_t address);

/* Writes to OUT what is at ADDRESS: "variable mapping", or "mapping". */
void naming_data(const struct naming *naming, uint64_t address, FILE *out);

/* What is not to be written to a terminal becomes "?": the names of mappings may be anything. */
void naming_clean(char *text, size_t length);

/* Writes to OUT the name of a system call that writes to its caller's memory, or its number. */
void naming_call(int number, FILE *out);

#endif

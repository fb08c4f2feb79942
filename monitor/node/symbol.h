/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol.h - which variable of the program is at an address.
 */
#ifndef CAPE_SYMBOL_H
#define CAPE_SYMBOL_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes to TEXT what is at ADDRESS in a process that runs PROGRAM, loaded at LOAD_BIAS:
 * "variable 'x' + 8 (prog.c:12)", as far as the symbol table and debug information tell.
 */
void symbol_name(const char *program, uint64_t address, uint64_t load_bias, char *text,
		 size_t size);

#endif

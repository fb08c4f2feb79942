/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol.h - which variable of the program is at an address.
 */
#ifndef CAPE_SYMBOL_H
#define CAPE_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the symbol table says; addresses are the file's. */
struct symbol {
	char name[128];
	uint64_t start, size;
};

/*
 * The static variable of PROGRAM that ADDRESS, of the file, is in.  What is thread-local is looked
 * for as if THREAD_STORAGE were the file's, unless it is 0.
 */
bool symbol_find(const char *program, uint64_t thread_storage, uint64_t address,
		 struct symbol *symbol);

/* Calls VISIT for each static variable of PROGRAM, with addresses of the file. */
void symbol_each(const char *program, uint64_t thread_storage,
		 void (*visit)(void *context, uint64_t start, uint64_t size), void *context);

/*
 * Writes to TEXT what is at ADDRESS in a process that runs PROGRAM, loaded at LOAD_BIAS:
 * "variable 'x' + 8 (prog.c:12)", as far as the symbol table and debug information say.
 */
void symbol_name(const char *program, uint64_t address, uint64_t load_bias, char *text,
		 size_t size);

#endif

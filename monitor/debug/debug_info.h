/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_info.h - what a program's debug information (libdw) says about addresses: the type of a
 * variable, the element of it, a value as its type shows it, the line of an instruction.
 */
#ifndef CAPE_DEBUG_INFO_H
#define CAPE_DEBUG_INFO_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_info {
	int file;
	Dwarf *dwarf; /* NULL: the program has none */
	/* The initial thread's, as if it were the file's; 0: what is thread-local is not looked
	 * for. */
	uint64_t thread_storage;
};

void debug_info_open(struct debug_info *info, const char *program);
void debug_info_close(struct debug_info *info);

/* A variable: its name stays valid as long as INFO. */
struct debug_variable {
	Dwarf_Die type;
	const char *name;
	const char *file;
	int line;
};

/* The static variable that begins at START, an address of the file. */
bool debug_variable_at(const struct debug_info *info, uint64_t start,
		       struct debug_variable *variable);

/*
 * Calls VISIT for each static variable that is not the run time's, with its address in the file;
 * for one of an inline function perhaps more than once.
 */
void debug_each_variable(const struct debug_info *info,
			 void (*visit)(void *context, uint64_t start,
				       const struct debug_variable *variable),
			 void *context);

/* The automatic variable NAME that is declared last before LINE of FILE. */
bool debug_variable_named(const struct debug_info *info, const char *name, const char *file,
			  int line, struct debug_variable *variable);

/* What a pointer of TYPE leads to; false when it is none, or leads to void. */
bool debug_pointed_to(Dwarf_Die *type, Dwarf_Die *target);

/* One thing without parts: its type, and how many bytes it begins before the one asked for. */
struct debug_part {
	Dwarf_Die type;
	uint64_t before;
	uint64_t size;
};

/* Appends the way from a TYPE to its byte OFFSET, "[3].x", to TEXT of SIZE bytes. */
void debug_part_of(Dwarf_Die *type, uint64_t offset, char *text, size_t size,
		   struct debug_part *part);

/* The same through a pointer: the OFFSET-th byte of an array of TARGET. */
void debug_part_pointed_to(Dwarf_Die *target, uint64_t offset, char *text, size_t size,
			   struct debug_part *part);

/* The SIZE bytes at VALUE as their TYPE shows them. */
void debug_show(Dwarf_Die *type, const unsigned char *value, uint64_t size, char *text,
		size_t room);

/*
 * The name of the function that the code before CODE, an address of the file, is of; or false.
 * For a region's block the name of the function around it, or "" if that is not known.
 */
bool debug_function(const struct debug_info *info, uint64_t code, char *text, size_t size);

/* The largest automatic variable whose size is known there, of the function of that code. */
bool debug_large_variable(const struct debug_info *info, uint64_t code,
			  struct debug_variable *variable, uint64_t *size);

/* "file.c:12" of the call or access before CODE, an address of the file; false: unknown. */
bool debug_line(const struct debug_info *info, uint64_t code, char *text, size_t size);

#endif

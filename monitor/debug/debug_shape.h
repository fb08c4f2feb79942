/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_shape.h - what types are made of: elements of arrays, members of structures.
 */
#ifndef CAPE_DEBUG_SHAPE_H
#define CAPE_DEBUG_SHAPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#define DEBUG_DIMENSIONS 8

enum debug_form {
	DEBUG_BYTES, /* no other: unions, for example */
	DEBUG_SIGNED,
	DEBUG_UNSIGNED, /* pointers, too */
	DEBUG_FLOAT,
	DEBUG_COMPLEX,
	DEBUG_ARRAY,
	DEBUG_STRUCT,
};

/* TYPE without typedef, const and the like; false when there is nothing left. */
bool debug_peel(Dwarf_Die *type, Dwarf_Die *bare);

/* The type of a variable, member or element, peeled; false when it has none. */
bool debug_type_of(Dwarf_Die *die, Dwarf_Die *type);

/* Bytes of TYPE, or 0. */
uint64_t debug_size_of(Dwarf_Die *type);

/* What TYPE, peeled, is. */
enum debug_form debug_form_of(Dwarf_Die *type);

/* How the values of TYPE, a base type, are encoded: DW_ATE_ of dwarf.h, or 0. */
Dwarf_Word debug_encoding_of(Dwarf_Die *type);

/* The dimensions of ARRAY, 0 for one that is unknown; 0 when there is no ELEMENT or too many. */
unsigned debug_array(Dwarf_Die *array, Dwarf_Die *element, uint64_t count[DEBUG_DIMENSIONS]);

/*
 * Calls VISIT for each member of STRUCTURE that is no bit-field, with its peeled type, until it
 * gives false; NAME may be NULL.
 */
void debug_members(Dwarf_Die *structure,
		   bool (*visit)(void *context, const char *name, uint64_t offset, Dwarf_Die *type),
		   void *context);

#endif

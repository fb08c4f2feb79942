// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * debug_shape.c - what types in debug information are made of.
 */
#include "debug_shape.h"

#include <dwarf.h>

bool debug_peel(Dwarf_Die *type, Dwarf_Die *bare)
{
	return dwarf_peel_type(type, bare) == 0;
}

bool debug_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die named;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &named) &&
	       debug_peel(&named, type);
}

uint64_t debug_size_of(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

Dwarf_Word debug_encoding_of(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding = 0;

	if (dwarf_attr_integrate(type, DW_AT_encoding, &attribute))
		dwarf_formudata(&attribute, &encoding);
	return encoding;
}

static enum debug_form form_of_base(Dwarf_Die *type)
{
	switch (debug_encoding_of(type)) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return DEBUG_SIGNED;
	case DW_ATE_boolean:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
		return DEBUG_UNSIGNED;
	case DW_ATE_float:
		return DEBUG_FLOAT;
	case DW_ATE_complex_float:
		return DEBUG_COMPLEX;
	default:
		return DEBUG_BYTES;
	}
}

enum debug_form debug_form_of(Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		return form_of_base(type);
	case DW_TAG_enumeration_type:
		return DEBUG_SIGNED;
	case DW_TAG_pointer_type:
		return DEBUG_UNSIGNED;
	case DW_TAG_array_type:
		return DEBUG_ARRAY;
	case DW_TAG_structure_type:
		return DEBUG_STRUCT;
	default:
		return DEBUG_BYTES;
	}
}

/* How many elements a dimension has, or 0. */
static uint64_t count_of(Dwarf_Die *dimension)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (dwarf_attr_integrate(dimension, DW_AT_count, &attribute) &&
	    dwarf_formudata(&attribute, &number) == 0)
		return number;
	if (dwarf_attr_integrate(dimension, DW_AT_upper_bound, &attribute) &&
	    dwarf_formudata(&attribute, &number) == 0)
		return number + 1;
	return 0;
}

unsigned debug_array(Dwarf_Die *array, Dwarf_Die *element, uint64_t count[DEBUG_DIMENSIONS])
{
	unsigned dimensions = 0;
	Dwarf_Die child;

	if (!debug_type_of(array, element) || dwarf_child(array, &child) != 0)
		return 0;
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		if (dimensions == DEBUG_DIMENSIONS)
			return 0;
		count[dimensions++] = count_of(&child);
	} while (dwarf_siblingof(&child, &child) == 0);
	return dimensions;
}

static bool is_bit_field(Dwarf_Die *member)
{
	return dwarf_hasattr(member, DW_AT_data_bit_offset) ||
	       dwarf_hasattr(member, DW_AT_bit_size);
}

void debug_members(Dwarf_Die *structure,
		   bool (*visit)(void *context, const char *name, uint64_t offset, Dwarf_Die *type),
		   void *context)
{
	Dwarf_Die member, type;

	if (dwarf_child(structure, &member) != 0)
		return;
	do {
		Dwarf_Attribute attribute;
		Dwarf_Word offset = 0;

		if (dwarf_tag(&member) != DW_TAG_member || is_bit_field(&member) ||
		    !debug_type_of(&member, &type))
			continue;
		if (dwarf_attr_integrate(&member, DW_AT_data_member_location, &attribute))
			dwarf_formudata(&attribute, &offset);
		if (!visit(context, dwarf_diename(&member), offset, &type))
			return;
	} while (dwarf_siblingof(&member, &member) == 0);
}

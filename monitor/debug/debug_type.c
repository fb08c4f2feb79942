/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_type.c - types in debug information: the part of a variable that a byte belongs to, and
 * values as their type shows them.
 */
#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug_info.h"

#define DIMENSIONS 8

static void append(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + used, size - used, format, arguments);
	va_end(arguments);
}

/* TYPE without typedef, const and the like; false when there is nothing left. */
static bool peel(Dwarf_Die *type, Dwarf_Die *bare)
{
	return dwarf_peel_type(type, bare) == 0;
}

static uint64_t size_of(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die named;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &named) &&
	       peel(&named, type);
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

static void part_of_array(Dwarf_Die *array, uint64_t offset, char *text, size_t size,
			  struct debug_part *part)
{
	uint64_t count[DIMENSIONS], stride;
	unsigned dimensions = 0;
	Dwarf_Die element, child;

	if (!type_of(array, &element) || !(stride = size_of(&element)))
		return;
	if (dwarf_child(array, &child) == 0)
		do
			if (dwarf_tag(&child) == DW_TAG_subrange_type && dimensions < DIMENSIONS)
				count[dimensions++] = count_of(&child);
		while (dwarf_siblingof(&child, &child) == 0);
	for (unsigned i = 0; i < dimensions; i++) {
		uint64_t below = stride;

		for (unsigned k = i + 1; k < dimensions; k++)
			below *= count[k] ? count[k] : 1;
		append(text, size, "[%llu]", (unsigned long long)(offset / below));
		offset %= below;
	}
	debug_part_of(&element, offset, text, size, part);
}

static void part_of_struct(Dwarf_Die *type, uint64_t offset, char *text, size_t size,
			   struct debug_part *part)
{
	Dwarf_Die member, bare;

	if (dwarf_child(type, &member) != 0)
		return;
	do {
		Dwarf_Attribute attribute;
		Dwarf_Word start = 0;

		if (dwarf_tag(&member) != DW_TAG_member || !type_of(&member, &bare))
			continue;
		if (dwarf_attr_integrate(&member, DW_AT_data_member_location, &attribute))
			dwarf_formudata(&attribute, &start);
		if (offset < start || offset - start >= size_of(&bare) ||
		    dwarf_hasattr(&member, DW_AT_data_bit_offset))
			continue;
		if (dwarf_diename(&member))
			append(text, size, ".%s", dwarf_diename(&member));
		debug_part_of(&bare, offset - start, text, size, part);
		return;
	} while (dwarf_siblingof(&member, &member) == 0);
}

void debug_part_of(Dwarf_Die *type, uint64_t offset, char *text, size_t size,
		   struct debug_part *part)
{
	Dwarf_Die bare;

	if (!peel(type, &bare))
		return;
	*part = (struct debug_part){.type = bare, .before = offset, .size = size_of(&bare)};
	switch (dwarf_tag(&bare)) {
	case DW_TAG_array_type:
		part_of_array(&bare, offset, text, size, part);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		part_of_struct(&bare, offset, text, size, part);
		break;
	}
}

bool debug_pointed_to(Dwarf_Die *type, Dwarf_Die *target)
{
	Dwarf_Die bare;

	return peel(type, &bare) && dwarf_tag(&bare) == DW_TAG_pointer_type &&
	       type_of(&bare, target) && size_of(target) > 0;
}

void debug_part_pointed_to(Dwarf_Die *target, uint64_t offset, char *text, size_t size,
			   struct debug_part *part)
{
	uint64_t element = size_of(target);

	if (!element)
		return;
	append(text, size, "[%llu]", (unsigned long long)(offset / element));
	debug_part_of(target, offset % element, text, size, part);
}

static void show_float(const unsigned char *value, uint64_t size, char *text, size_t room)
{
	long double wide = 0;
	double number;
	float narrow;

	if (size == sizeof(narrow)) {
		memcpy(&narrow, value, sizeof(narrow));
		snprintf(text, room, "%.9g", (double)narrow);
	} else if (size == sizeof(number)) {
		memcpy(&number, value, sizeof(number));
		snprintf(text, room, "%.15g", number);
		if (strtod(text, NULL) != number)
			snprintf(text, room, "%.17g", number);
	} else if (size == sizeof(wide)) {
		memcpy(&wide, value, sizeof(wide));
		snprintf(text, room, "%.21Lg", wide);
	}
}

static void show_complex(const unsigned char *value, uint64_t size, char *text, size_t room)
{
	char real[64] = "?", imaginary[64] = "?";

	show_float(value, size / 2, real, sizeof(real));
	show_float(value + size / 2, size / 2, imaginary, sizeof(imaginary));
	snprintf(text, room, "%s + %s i", real, imaginary);
}

static void show_raw(const unsigned char *value, uint64_t size, char *text, size_t room)
{
	*text = '\0';
	append(text, room, "0x");
	for (uint64_t i = size; i-- > 0;)
		append(text, room, "%02x", value[i]);
}

/* The machine is little-endian, as the fixed addresses of the run time are x86-64's. */
static void show_integer(const unsigned char *value, uint64_t size, bool is_signed, char *text,
			 size_t room)
{
	uint64_t number = 0;
	unsigned shift = 64 - 8 * (unsigned)size;

	if (!size)
		return;
	memcpy(&number, value, size);
	if (is_signed)
		snprintf(text, room, "%lld", (long long)(number << shift) >> shift);
	else
		snprintf(text, room, "%llu", (unsigned long long)number);
}

static void show_base(Dwarf_Die *type, const unsigned char *value, uint64_t size, char *text,
		      size_t room)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding = 0;

	if (dwarf_attr_integrate(type, DW_AT_encoding, &attribute))
		dwarf_formudata(&attribute, &encoding);
	switch (encoding) {
	case DW_ATE_float:
		show_float(value, size, text, room);
		break;
	case DW_ATE_complex_float:
		show_complex(value, size, text, room);
		break;
	case DW_ATE_boolean:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		if (size <= 8)
			show_integer(value, size,
				     encoding == DW_ATE_signed || encoding == DW_ATE_signed_char,
				     text, room);
		break;
	}
}

void debug_show(Dwarf_Die *type, const unsigned char *value, uint64_t size, char *text, size_t room)
{
	show_raw(value, size, text, room);
	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		show_base(type, value, size, text, room);
		break;
	case DW_TAG_enumeration_type:
		if (size <= 8)
			show_integer(value, size, true, text, room);
		break;
	}
}

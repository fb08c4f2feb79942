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
#include "debug_shape.h"

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

static void part_of_array(Dwarf_Die *array, uint64_t offset, char *text, size_t size,
			  struct debug_part *part)
{
	uint64_t count[DEBUG_DIMENSIONS], stride;
	Dwarf_Die element;
	unsigned dimensions = debug_array(array, &element, count);

	if (!dimensions || !(stride = debug_size_of(&element)))
		return;
	for (unsigned i = 0; i < dimensions; i++) {
		uint64_t below = stride;

		for (unsigned k = i + 1; k < dimensions; k++)
			below *= count[k] ? count[k] : 1;
		append(text, size, "[%llu]", (unsigned long long)(offset / below));
		offset %= below;
	}
	debug_part_of(&element, offset, text, size, part);
}

/* The byte that is looked for, and where its way is written to. */
struct way {
	uint64_t offset;
	char *text;
	size_t size;
	struct debug_part *part;
};

static bool part_of_member(void *context, const char *name, uint64_t start, Dwarf_Die *type)
{
	struct way *way = context;

	if (way->offset < start || way->offset - start >= debug_size_of(type))
		return true;
	if (name)
		append(way->text, way->size, ".%s", name);
	debug_part_of(type, way->offset - start, way->text, way->size, way->part);
	return false;
}

void debug_part_of(Dwarf_Die *type, uint64_t offset, char *text, size_t size,
		   struct debug_part *part)
{
	Dwarf_Die bare;

	if (!debug_peel(type, &bare))
		return;
	*part = (struct debug_part){.type = bare, .before = offset, .size = debug_size_of(&bare)};
	switch (dwarf_tag(&bare)) {
	case DW_TAG_array_type:
		part_of_array(&bare, offset, text, size, part);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		debug_members(&bare, part_of_member, &(struct way){offset, text, size, part});
		break;
	}
}

bool debug_pointed_to(Dwarf_Die *type, Dwarf_Die *target)
{
	Dwarf_Die bare;

	return debug_peel(type, &bare) && dwarf_tag(&bare) == DW_TAG_pointer_type &&
	       debug_type_of(&bare, target) && debug_size_of(target) > 0;
}

void debug_part_pointed_to(Dwarf_Die *target, uint64_t offset, char *text, size_t size,
			   struct debug_part *part)
{
	uint64_t element = debug_size_of(target);

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
	Dwarf_Word encoding = debug_encoding_of(type);

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

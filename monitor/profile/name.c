// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * name.c - names of variables, members and blocks, as far as symbols and debug information say.
 */
#include "name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "debug/symbol.h"

void naming_open(struct naming *naming, const struct node *node)
{
	naming->node = node;
	debug_info_open(&naming->info, node->options.program);
}

void naming_close(struct naming *naming)
{
	debug_info_close(&naming->info);
}

const char *naming_bytes(uint64_t bytes, char *text)
{
	static const char *const unit[] = {"B", "KB", "MB", "GB", "TB"};
	double value = (double)bytes;
	int which = 0;

	for (; value >= 999.5 && which < 4; which++)
		value /= 1024;
	snprintf(text, 16, "%.3g %s", value, unit[which]);
	return text;
}

static uint64_t in_file(const struct naming *naming, uint64_t address)
{
	return address - naming->node->channel->load_bias;
}

/* "v[0].x", as debug information says it, is "v->x".  False: it is not the first element's. */
static bool use_arrow(char *text, size_t name)
{
	if (strncmp(text + name, "[0].", 4) != 0)
		return false;
	memcpy(text + name, "->", 2);
	memmove(text + name + 2, text + name + 4, strlen(text + name + 4) + 1);
	return true;
}

/*
 * The part of a variable, or of what it leads to, that OBJECT's pointer is.  False: it may be of
 * another variable.
 */
static bool name_part(const struct naming *naming, const struct cape_profile_construct *construct,
		      const struct cape_profile_object *object, char *text, size_t size)
{
	struct debug_variable variable;
	struct debug_part part;
	Dwarf_Die target;
	bool known = debug_variable_named(&naming->info, object->name, construct->file,
					  construct->line, &variable);

	snprintf(text, size, "%s", object->name);
	if (known && object->way == CAPE_WAY_IN) {
		debug_part_of(&variable.type, object->offset, text, size, &part);
		return true;
	}
	if (known && debug_pointed_to(&variable.type, &target)) {
		debug_part_pointed_to(&target, object->offset, text, size, &part);
		return use_arrow(text, strlen(object->name)) || object->way == CAPE_WAY_AFTER;
	}
	snprintf(text, size, "%s+%" PRIu32, object->name, object->offset);
	return object->way != CAPE_WAY_STACK;
}

/* The static variable that ADDRESS is in, or its part that begins there. */
static bool name_static(const struct naming *naming, uint64_t address, char *text, size_t size)
{
	struct debug_variable variable;
	struct debug_part part;
	struct symbol symbol;
	uint64_t offset;

	if (!address ||
	    !symbol_find(naming->node->options.program, 0, in_file(naming, address), &symbol))
		return false;
	snprintf(text, size, "%.100s", symbol.name);
	offset = in_file(naming, address) - symbol.start;
	if (symbol.size > sizeof(void *) &&
	    debug_variable_at(&naming->info, symbol.start, &variable))
		debug_part_of(&variable.type, offset, text, size, &part);
	else if (offset)
		snprintf(text, size, "%.100s+%" PRIu64, symbol.name, offset);
	return true;
}

static void describe_block(const struct naming *naming, const struct cape_profile_object *object,
			   char *text, size_t size)
{
	char bytes[16], site[128] = "";
	bool known = object->site &&
		     debug_line(&naming->info, in_file(naming, object->site), site, sizeof(site));

	snprintf(text, size, "a block of %s%s%s", naming_bytes(object->size, bytes),
		 known ? " allocated at " : "", site);
}

bool naming_tell(const struct naming *naming, const struct cape_profile_construct *construct,
		 const struct cape_profile_object *object, char *text, size_t size)
{
	struct symbol symbol;

	if (object->memory == CAPE_MEMORY_STATIC &&
	    symbol_find(naming->node->options.program, 0, in_file(naming, object->start),
			&symbol)) {
		snprintf(text, size, "%.100s", symbol.name);
		return true;
	}
	if (object->name[0] && object->way == CAPE_WAY_DIRECT) {
		snprintf(text, size, "%s", object->name);
		return object->memory != CAPE_MEMORY_OTHER;
	}
	if (object->name[0] && name_part(naming, construct, object, text, size))
		return true;
	if (name_static(naming, object->pointer, text, size))
		return true;
	describe_block(naming, object, text, size);
	return false;
}

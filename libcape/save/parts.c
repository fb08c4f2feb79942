// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * parts.c - the parts that the linker has listed: each a header and its bytes, padded.
 */
#include "save/parts.h"

#include <string.h>
#include "channel/save.h"

extern const struct cape_saved_part *const __start_cape_saved[], *const __stop_cape_saved[];

struct header {
	char name[CAPE_SAVED_NAME];
	uint64_t size;
};

typedef const struct cape_saved_part *const *cursor;

const char *cape_saved_refuse(struct cape_runtime *runtime)
{
	for (cursor part = __start_cape_saved; part != __stop_cape_saved; part++) {
		const char *why = (*part)->refuse ? (*part)->refuse(runtime) : NULL;

		if (why)
			return why;
	}
	return NULL;
}

static bool is_wanted(const struct cape_runtime *runtime, const struct cape_saved_part *part,
		      bool of_node)
{
	return (part->put || part->finish) && part->of_node == of_node &&
	       (!part->by_place || of_node == runtime->in_region);
}

uint64_t cape_saved_put(struct cape_runtime *runtime, bool of_node, unsigned char *to)
{
	uint64_t used = 0;

	for (cursor part = __start_cape_saved; part != __stop_cape_saved; part++) {
		struct header header;

		if (!is_wanted(runtime, *part, of_node))
			continue;
		memcpy(header.name, (*part)->name, sizeof(header.name));
		header.size = 0;
		if ((*part)->put)
			header.size = (*part)->put(runtime, to ? to + used + sizeof(header) : NULL);
		if (to)
			memcpy(to + used, &header, sizeof(header));
		used += sizeof(header) + cape_saved_padded(header.size);
	}
	return used;
}

static const struct cape_saved_part *find(const char *name)
{
	for (cursor part = __start_cape_saved; part != __stop_cape_saved; part++)
		if (memcmp((*part)->name, name, CAPE_SAVED_NAME) == 0)
			return *part;
	return NULL;
}

/* Steps from OTHER on are TAKE for the node, a thread now, whose number is added. */
enum step { TAKE, ENTER, FINISH, OTHER };

static void do_step(struct cape_runtime *runtime, const struct cape_saved_part *part, unsigned step,
		    const unsigned char *from, uint64_t size)
{
	if (step >= OTHER && part->take_other)
		part->take_other(runtime, step - OTHER, from, size);
	else if (step == TAKE && part->take)
		part->take(runtime, from, size);
	else if (step == ENTER && part->enter)
		part->enter(runtime, from, size);
	else if (step == FINISH && part->finish)
		part->finish(runtime, from, size);
}

static void each(struct cape_runtime *runtime, const unsigned char *from, uint64_t size,
		 unsigned step)
{
	struct header header;

	while (size >= sizeof(header)) {
		const struct cape_saved_part *part;

		memcpy(&header, from, sizeof(header));
		part = find(header.name);
		if (!part || cape_saved_padded(header.size) > size - sizeof(header))
			break;
		do_step(runtime, part, step, from + sizeof(header), header.size);
		header.size = sizeof(header) + cape_saved_padded(header.size);
		from += header.size;
		size -= header.size;
	}
	if (size)
		cape_fail(runtime, 0,
			  "the run cannot continue: the saved state is not that of this program");
}

void cape_saved_take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	each(runtime, from, size, TAKE);
}

void cape_saved_take_other(struct cape_runtime *runtime, unsigned number, const unsigned char *from,
			   uint64_t size)
{
	each(runtime, from, size, OTHER + number);
}

void cape_saved_enter(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	each(runtime, from, size, ENTER);
}

void cape_saved_finish(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	each(runtime, from, size, FINISH);
}

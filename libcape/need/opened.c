// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * opened.c - what the program can access: the directory says it of pages that are all here, a list
 * of others.
 */
#include "memory/directory.h"
#include "need/divided.h"
#include "need/need.h"
#include "system/number.h"

bool cape_divided_are_opened(const struct cape_runtime *runtime, struct cape_range range)
{
	return cape_ranges_have(&runtime->need->divided.opened, range);
}

bool cape_divided_is_opened(const struct cape_runtime *runtime, uint64_t address)
{
	return cape_divided_are_opened(runtime, (struct cape_range){address, address + 1});
}

bool cape_divided_is_open(const struct cape_runtime *runtime, const struct cape_area *area,
			  uint64_t address)
{
	return !cape_directory_page(area, address)->agreed.holders ||
	       cape_directory_is_open(area, address) || cape_divided_is_opened(runtime, address);
}

static void note_opened(struct cape_runtime *runtime, uint64_t address)
{
	struct cape_divided_table *table = &runtime->need->divided;

	if (cape_divided_is_opened(runtime, address))
		return;
	cape_divided_note_open(runtime, address, 0);
	cape_ranges_add(runtime, &table->opened, (struct cape_range){address, address + CAPE_PAGE});
	table->opened_changed = true;
	table->recording.opens = true;
}

/* The directory says it of pages that this node has all of. */
static void set_open(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
		     bool open)
{
	uint64_t before = runtime->directory->open;

	if (cape_directory_is_open(area, address) == open)
		return;
	cape_directory_open(runtime, area, (struct cape_range){address, address + CAPE_PAGE}, open);
	cape_divided_note_open(runtime, address, runtime->directory->open ^ before);
}

void cape_divided_set_open(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
			   bool open, bool opened)
{
	set_open(runtime, area, address, open);
	if (opened)
		note_opened(runtime, address);
}

uint64_t cape_divided_opened_number(struct cape_runtime *runtime)
{
	struct cape_divided_table *table = &runtime->need->divided;
	const struct cape_ranges *opened = &table->opened;

	if (!table->opened_changed)
		return table->opened_number;
	table->opened_number = 1;
	for (size_t i = 0; i < opened->count; i++)
		table->opened_number = cape_number_mix(
			cape_number_mix(table->opened_number, opened->range[i].start),
			opened->range[i].end);
	table->opened_changed = false;
	return table->opened_number;
}

uint64_t cape_divided_state(struct cape_runtime *runtime)
{
	const struct cape_directory *directory = runtime->directory;
	uint64_t number = cape_number_mix(cape_number_mix(1, directory->state), directory->here);

	number = cape_number_mix(number, directory->open);
	return cape_number_mix(number, cape_divided_opened_number(runtime));
}

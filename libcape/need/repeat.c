// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * repeat.c - what a known loop made of divided pages is noted, and done again in one go where the
 * map is the same (cape_divided_state()): nothing is found out then.
 *
 * Pages are divided then, or not any more, and have other parts.  Where anything else changes, such
 * as who owns a page, or what the program can access, there is nothing to be repeated.
 */
#include <string.h>
#include "need/divided.h"
#include "need/need.h"

/* Followed by the transfers, by the changes, and by the parts of these. */
struct cape_divided_note {
	uint32_t transfers, changes;
	uint64_t sent;	      /* of the transfers, the first ones */
	uint64_t state, here; /* what the directory's numbers become more */
};

struct change {
	uint64_t address; /* of the page */
	uint32_t parts;	  /* that it has then; none: it is not divided */
	uint16_t open;	  /* by the directory; */
	uint16_t opened;  /* otherwise */
};

static struct cape_divided_recording *recording_of(const struct cape_runtime *runtime)
{
	return &runtime->need->divided.recording;
}

/* -- noting ------------------------------------------------------------------------------------ */

void cape_divided_record(struct cape_runtime *runtime)
{
	struct cape_divided_table *table = &runtime->need->divided;
	struct cape_divided_recording *recording = recording_of(runtime);

	recording->on = true;
	recording->other = recording->flows = recording->opens = false;
	recording->transfers = recording->sent = recording->pages = 0;
	recording->state = recording->here = recording->open = 0;
	recording->before = *runtime->directory;
	recording->opened = cape_divided_opened_number(runtime);
	recording->listed = table->dropped.count + table->alone.count;
}

/* Whether all that has changed is noted. */
static bool is_complete(struct cape_runtime *runtime)
{
	const struct cape_divided_table *table = &runtime->need->divided;
	const struct cape_divided_recording *recording = recording_of(runtime);
	const struct cape_directory *now = runtime->directory, *before = &recording->before;

	return !recording->other && now->state - before->state == recording->state &&
	       now->here - before->here == recording->here &&
	       (now->open ^ before->open) == recording->open &&
	       (recording->opens || cape_divided_opened_number(runtime) == recording->opened) &&
	       table->dropped.count + table->alone.count == recording->listed;
}

/* NULL: the page is not divided. */
static struct cape_divided *entry_of(const struct cape_runtime *runtime, uint64_t address)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);

	return cape_divided_find(runtime, cape_directory_page(area, address), address);
}

/* Of the record that is complete. */
static uint64_t size_of(const struct cape_runtime *runtime)
{
	const struct cape_divided_recording *recording = recording_of(runtime);
	uint64_t size = sizeof(struct cape_divided_note) +
			recording->transfers * sizeof(struct cape_divided_transfer) +
			recording->pages * sizeof(struct change);

	for (size_t i = 0; i < recording->pages; i++) {
		const struct cape_divided *entry = entry_of(runtime, recording->page[i]);

		size += entry ? entry->parts * sizeof(struct cape_divided_part) : 0;
	}
	return size;
}

static struct change *changes_of(const struct cape_divided_note *note)
{
	return (struct change *)((struct cape_divided_transfer *)(note + 1) + note->transfers);
}

static struct change change_of(const struct cape_runtime *runtime, uint64_t address)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);
	const struct cape_divided *entry = entry_of(runtime, address);

	return (struct change){.address = address,
			       .parts = entry ? entry->parts : 0,
			       .open = cape_directory_is_open(area, address),
			       .opened = cape_divided_is_opened(runtime, address)};
}

static void put_changes(const struct cape_runtime *runtime, struct cape_divided_note *note)
{
	const struct cape_divided_recording *recording = recording_of(runtime);
	struct change *change = changes_of(note);
	struct cape_divided_part *part = (void *)(change + recording->pages);

	for (size_t i = 0; i < recording->pages; i++) {
		const struct cape_divided *entry = entry_of(runtime, recording->page[i]);

		change[i] = change_of(runtime, recording->page[i]);
		if (entry)
			memcpy(part, entry->part, entry->parts * sizeof(*part));
		part += change[i].parts;
	}
}

/* Pages that are not divided any more are none of them. */
static void forget_pages(struct cape_runtime *runtime)
{
	struct cape_divided_recording *recording = recording_of(runtime);

	for (size_t i = 0; i < recording->pages; i++) {
		struct cape_divided *entry = entry_of(runtime, recording->page[i]);

		if (entry)
			entry->noted = false;
	}
	recording->on = false;
}

const struct cape_divided_note *cape_divided_recorded(struct cape_runtime *runtime, uint64_t *size)
{
	struct cape_divided_recording *recording = recording_of(runtime);
	struct cape_divided_note *note = NULL;

	if (is_complete(runtime)) {
		*size = size_of(runtime);
		cape_must_grow(runtime, (void **)&recording->bytes, &recording->bytes_room, *size,
			       1);
		note = (void *)recording->bytes;
		note->transfers = (uint32_t)recording->transfers;
		note->changes = (uint32_t)recording->pages;
		note->sent = recording->sent;
		note->state = recording->state;
		note->here = recording->here;
		if (note->transfers)
			memcpy(note + 1, recording->transfer,
			       recording->transfers * sizeof(*recording->transfer));
		put_changes(runtime, note);
	}
	forget_pages(runtime);
	return note;
}

/* -- repeating --------------------------------------------------------------------------------- */

void cape_divided_repeat(struct cape_runtime *runtime, const struct cape_divided_note *note)
{
	const struct change *change = changes_of(note);
	const struct cape_divided_part *part = (const void *)(change + note->changes);
	const struct cape_divided_transfer *transfer = (const void *)(note + 1);
	struct cape_area *area;

	if (runtime->need->divided.sends)
		cape_divided_flow_again(runtime, transfer, note->sent, note->transfers);
	else
		cape_divided_read(runtime, transfer, note->transfers);
	for (uint32_t i = 0; i < note->changes; i++) {
		area = cape_areas_find(runtime->areas, change[i].address, 1);
		cape_divided_set_parts(runtime, area, change[i].address, part, change[i].parts);
		cape_divided_set_open(runtime, area, change[i].address, change[i].open,
				      change[i].opened);
		part += change[i].parts;
	}
	runtime->directory->state += note->state;
	runtime->directory->here += note->here;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * noted.c - while a loop's step is recorded (repeat.c): what happens to divided pages.
 */
#include "need/divided.h"
#include "need/need.h"

static struct cape_divided_recording *recording_of(const struct cape_runtime *runtime)
{
	return &runtime->need->divided.recording;
}

static void add_page(struct cape_runtime *runtime, uint64_t address)
{
	struct cape_divided_recording *recording = recording_of(runtime);

	cape_must_grow(runtime, (void **)&recording->page, &recording->page_room,
		       recording->pages + 1, sizeof(*recording->page));
	recording->page[recording->pages++] = address;
}

void cape_divided_note_change(struct cape_runtime *runtime, struct cape_divided *entry)
{
	if (!recording_of(runtime)->on || entry->noted)
		return;
	entry->noted = true;
	add_page(runtime, entry->address);
}

/* It may be there already. */
void cape_divided_note_open(struct cape_runtime *runtime, uint64_t address, uint64_t change)
{
	struct cape_divided_recording *recording = recording_of(runtime);

	if (!recording->on)
		return;
	recording->open ^= change;
	add_page(runtime, cape_page_floor(address));
}

void cape_divided_note_transfer(struct cape_runtime *runtime, unsigned node,
				struct cape_range range)
{
	struct cape_divided_recording *recording = recording_of(runtime);

	if (!recording->on)
		return;
	cape_must_grow(runtime, (void **)&recording->transfer, &recording->transfer_room,
		       recording->transfers + 1, sizeof(*recording->transfer));
	recording->transfer[recording->transfers++] = (struct cape_divided_transfer){range, node};
}

void cape_divided_note_flow(struct cape_runtime *runtime, unsigned node, struct cape_range range,
			    bool out)
{
	struct cape_divided_recording *recording = recording_of(runtime);
	struct cape_divided_transfer *last = NULL;

	if (!recording->on)
		return;
	if (recording->transfers > (out ? 0 : recording->sent))
		last = &recording->transfer[recording->transfers - 1];
	if (last && last->node == node && last->range.end == range.start) {
		last->range.end = range.end;
		return;
	}
	cape_divided_note_transfer(runtime, node, range);
	recording->sent += out;
}

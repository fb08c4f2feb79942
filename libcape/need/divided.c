// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * divided.c - the table of divided pages, and what a known write makes of a page.
 */
#include "need/divided.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "memory/directory.h"
#include "need/parts.h"
#include "system/libc.h"
#include "system/number.h"

/* -- the table --------------------------------------------------------------------------------- */

static struct cape_divided_table *table_of(const struct cape_runtime *runtime)
{
	return &runtime->need->divided;
}

static size_t first_of(const struct cape_divided_table *table, uint64_t address)
{
	return (address / CAPE_PAGE * 0x9e3779b97f4a7c15u >> 20) & (table->room - 1);
}

static struct cape_divided *place_of(const struct cape_divided_table *table, uint64_t address)
{
	size_t at = first_of(table, address);

	while (table->entry[at].address && table->entry[at].address != address)
		at = (at + 1) & (table->room - 1);
	return &table->entry[at];
}

struct cape_divided *cape_divided_find(const struct cape_runtime *runtime,
				       const struct cape_directory_page *page, uint64_t address)
{
	return page->local.divided ? place_of(table_of(runtime), cape_page_floor(address)) : NULL;
}

static void move(struct cape_divided *to, struct cape_divided *from)
{
	*to = *from;
	if (from->part == from->inside)
		to->part = to->inside;
}

static void grow(struct cape_runtime *runtime)
{
	struct cape_divided_table *table = table_of(runtime), old = *table;

	if (table->room && table->count < table->room / 2)
		return;
	table->room = old.room ? 2 * old.room : 1024;
	table->entry = cape_must_reserve(runtime, table->room * sizeof(*table->entry));
	for (size_t i = 0; i < old.room; i++)
		if (old.entry[i].address)
			move(place_of(table, old.entry[i].address), &old.entry[i]);
	if (old.room)
		syscall(SYS_madvise, old.entry, old.room * sizeof(*old.entry), MADV_DONTNEED);
}

/* -- parts ------------------------------------------------------------------------------------- */

static unsigned power_of(unsigned parts)
{
	return parts <= 1 ? 0 : 32 - (unsigned)__builtin_clz(parts - 1);
}

/* Memory for parts that is free begins with a pointer to the next one. */
static struct cape_divided_part **next_of(struct cape_divided_part *part)
{
	return (void *)part;
}

static struct cape_divided_part *parts_new(struct cape_runtime *runtime, unsigned power)
{
	struct cape_divided_table *table = table_of(runtime);
	struct cape_divided_part *part = table->free[power];
	size_t size = sizeof(*part) << power;

	if (part) {
		table->free[power] = *next_of(part);
		return part;
	}
	if ((size_t)(table->memory_end - table->memory) < size) {
		table->memory = cape_must_reserve(runtime, 1ul << 24);
		table->memory_end = table->memory + (1ul << 24);
	}
	part = (void *)table->memory;
	table->memory += (size + 15) & ~15ul;
	return part;
}

static void parts_free(struct cape_runtime *runtime, struct cape_divided *entry)
{
	struct cape_divided_table *table = table_of(runtime);
	unsigned power = power_of(entry->room);

	if (entry->part == entry->inside)
		return;
	*next_of(entry->part) = table->free[power];
	table->free[power] = entry->part;
}

static void make_room(struct cape_runtime *runtime, struct cape_divided *entry, unsigned parts)
{
	unsigned power = power_of(parts);
	struct cape_divided_part *part;

	if (parts <= entry->room)
		return;
	part = parts_new(runtime, power);
	memcpy(part, entry->part, entry->parts * sizeof(*part));
	parts_free(runtime, entry);
	entry->part = part;
	entry->room = (uint16_t)(1u << power);
}

static uint16_t start_of(const struct cape_divided *entry, unsigned index)
{
	return index ? entry->part[index - 1].end : 0;
}

/* The directory's numbers are with it, or without. */
static void count_part(struct cape_runtime *runtime, const struct cape_divided *entry,
		       unsigned index, bool with)
{
	struct cape_divided_recording *recording = &table_of(runtime)->recording;
	const struct cape_divided_part *part = &entry->part[index];
	uint64_t number = cape_number_range(entry->address + start_of(entry, index),
					    entry->address + part->end),
		 state, here;

	number = with ? number : -number;
	state = number * (2ull * part->writer + 3);
	here = number * cape_number_mix(1, part->here);
	runtime->directory->state += state;
	runtime->directory->here += here;
	recording->state += state;
	recording->here += here;
}

static void note_copy(struct cape_runtime *runtime, const struct cape_divided *entry,
		      unsigned index)
{
	struct cape_divided_copies *copies = &table_of(runtime)->copies;

	if (copies->count < CAPE_DIVIDED_COPIES)
		copies->range[copies->count] =
			(struct cape_range){entry->address + start_of(entry, index),
					    entry->address + entry->part[index].end};
	copies->count += copies->count <= CAPE_DIVIDED_COPIES;
}

void cape_divided_add_here(struct cape_runtime *runtime, struct cape_divided *entry, unsigned index,
			   uint64_t nodes)
{
	cape_divided_note_change(runtime, entry);
	count_part(runtime, entry, index, false);
	entry->part[index].here |= nodes;
	note_copy(runtime, entry, index);
	count_part(runtime, entry, index, true);
}

/* The part that has the byte at OFFSET; the end of the page is in none. */
static unsigned index_of(const struct cape_divided *entry, uint16_t offset)
{
	unsigned low = 0, high = entry->parts;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (entry->part[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A part begins at OFFSET, unless one does already: its index. */
static unsigned split(struct cape_runtime *runtime, struct cape_divided *entry, uint16_t offset)
{
	unsigned index = index_of(entry, offset);

	if (index == entry->parts || start_of(entry, index) == offset)
		return index;
	make_room(runtime, entry, entry->parts + 1u);
	memmove(&entry->part[index + 1], &entry->part[index],
		(entry->parts - index) * sizeof(*entry->part));
	entry->parts++;
	entry->part[index].end = offset;
	return index + 1;
}

void cape_divided_cut(struct cape_runtime *runtime, struct cape_divided *entry, uint64_t start,
		      uint64_t end)
{
	cape_divided_note_change(runtime, entry);
	split(runtime, entry, (uint16_t)(start - entry->address));
	split(runtime, entry, (uint16_t)(end - entry->address));
}

static bool are_alike(const struct cape_divided_part *one, const struct cape_divided_part *other)
{
	return one->writer == other->writer && one->here == other->here;
}

unsigned cape_divided_join_at(struct cape_divided *entry, unsigned index)
{
	struct cape_divided_part *part = entry->part;
	unsigned first = index && are_alike(&part[index - 1], &part[index]) ? index - 1 : index;
	unsigned last = index + 1u < entry->parts && are_alike(&part[index], &part[index + 1])
				? index + 1
				: index;

	memmove(&part[first], &part[last], (entry->parts - last) * sizeof(*part));
	entry->parts = (uint16_t)(entry->parts - (last - first));
	return first;
}

void cape_divided_join(struct cape_divided *entry)
{
	unsigned to = 0;

	for (unsigned i = 1; i < entry->parts; i++) {
		if (are_alike(&entry->part[i], &entry->part[to]))
			entry->part[to].end = entry->part[i].end;
		else
			entry->part[++to] = entry->part[i];
	}
	entry->parts = (uint16_t)(to + 1);
}

/* The part that has all bytes START .. END - 1, or NULL. */
static struct cape_divided_part *part_around(struct cape_divided *entry, uint16_t start,
					     uint16_t end)
{
	unsigned index = index_of(entry, start);

	return entry->part[index].end >= end ? &entry->part[index] : NULL;
}

static void set_part(struct cape_runtime *runtime, struct cape_divided *entry, uint16_t start,
		     uint16_t end, unsigned writer)
{
	const struct cape_divided_part *around = part_around(entry, start, end);
	unsigned first, last;

	if (around && around->writer == writer && around->here == cape_divided_bit(writer))
		return;
	cape_divided_note_change(runtime, entry);
	runtime->directory->changes++;
	first = split(runtime, entry, start);
	last = split(runtime, entry, end);
	for (unsigned i = first; i < last; i++)
		count_part(runtime, entry, i, false);
	memmove(&entry->part[first], &entry->part[last - 1],
		(entry->parts - last + 1) * sizeof(*entry->part));
	entry->parts = (uint16_t)(entry->parts - (last - 1 - first));
	entry->part[first].writer = (uint16_t)writer;
	entry->part[first].here = cape_divided_bit(writer);
	count_part(runtime, entry, first, true);
	cape_divided_join_at(entry, first);
}

/* The one node that has written all of the page, or -1. */
static int writer_of(const struct cape_divided *entry)
{
	for (unsigned i = 1; i < entry->parts; i++)
		if (entry->part[i].writer != entry->part[0].writer)
			return -1;
	return entry->part[0].writer;
}

/* -- entries ----------------------------------------------------------------------------------- */

/* Who has PAGE, as bits. */
static uint64_t bits_of(const struct cape_runtime *runtime, const struct cape_directory_page *page)
{
	uint64_t bits = 0;

	if (page->agreed.holders == cape_node_set_of(page->agreed.owner))
		return cape_divided_bit(page->agreed.owner);
	for (unsigned node = 0; node < runtime->nodes; node++)
		if (cape_node_set_has(&runtime->directory->sets, page->agreed.holders, node))
			bits |= cape_divided_bit(node);
	return bits;
}

/* The entry of the page at FLOOR, which has none: no parts yet. */
static struct cape_divided *put_in(struct cape_runtime *runtime, struct cape_area *area,
				   uint64_t floor)
{
	struct cape_divided_table *table = table_of(runtime);
	struct cape_divided *entry;

	grow(runtime);
	entry = place_of(table, floor);
	table->count++;
	*entry = (struct cape_divided){
		.address = floor, .part = entry->inside, .room = CAPE_DIVIDED_INSIDE};
	cape_need_page_divided(cape_directory_page(area, floor), true);
	return entry;
}

struct cape_divided *cape_divided_get(struct cape_runtime *runtime, struct cape_area *area,
				      uint64_t address)
{
	const struct cape_directory_page *page = cape_directory_page(area, address);
	struct cape_divided *entry = cape_divided_find(runtime, page, address);

	if (entry)
		return entry;
	entry = put_in(runtime, area, cape_page_floor(address));
	cape_divided_note_change(runtime, entry);
	entry->parts = 1;
	entry->inside[0] = (struct cape_divided_part){
		.end = CAPE_PAGE, .writer = page->agreed.owner, .here = bits_of(runtime, page)};
	count_part(runtime, entry, 0, true);
	return entry;
}

/* What ENTRY has besides its place in the table. */
static void release(struct cape_runtime *runtime, struct cape_divided *entry)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, entry->address, 1);

	runtime->directory->changes++;
	cape_need_page_divided(cape_directory_page(area, entry->address), false);
	parts_free(runtime, entry);
	table_of(runtime)->count--;
}

static void count_none(struct cape_runtime *runtime, struct cape_divided *entry)
{
	cape_divided_note_change(runtime, entry);
	for (unsigned i = 0; i < entry->parts; i++)
		count_part(runtime, entry, i, false);
}

/* Entries after a free one that were put after it for want of a place come forward. */
static void take_out(struct cape_runtime *runtime, struct cape_divided *entry)
{
	struct cape_divided_table *table = table_of(runtime);
	size_t mask = table->room - 1, free = (size_t)(entry - table->entry), at;

	release(runtime, entry);
	for (at = (free + 1) & mask; table->entry[at].address; at = (at + 1) & mask) {
		size_t first = first_of(table, table->entry[at].address);

		if (((at - first) & mask) < ((at - free) & mask))
			continue;
		move(&table->entry[free], &table->entry[at]);
		free = at;
	}
	table->entry[free].address = 0;
}

void cape_divided_forget(struct cape_runtime *runtime, uint64_t address)
{
	struct cape_divided_table *table = table_of(runtime);
	struct cape_divided *entry;

	if (!table->count)
		return;
	entry = place_of(table, cape_page_floor(address));
	if (!entry->address)
		return;
	count_none(runtime, entry);
	take_out(runtime, entry);
}

bool cape_divided_is_any(const struct cape_runtime *runtime)
{
	const struct cape_divided_table *table = &runtime->need->divided;

	for (size_t i = 0; i < table->room && table->count; i++)
		if (table->entry[i].address && writer_of(&table->entry[i]) < 0)
			return true;
	return false;
}

void cape_divided_forget_all(struct cape_runtime *runtime)
{
	struct cape_divided_table *table = table_of(runtime);

	for (size_t i = 0; i < table->room && table->count; i++)
		if (table->entry[i].address) {
			count_none(runtime, &table->entry[i]);
			release(runtime, &table->entry[i]);
			table->entry[i].address = 0;
		}
}

void cape_divided_set_parts(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
			    const struct cape_divided_part *part, unsigned parts)
{
	struct cape_divided *entry =
		cape_divided_find(runtime, cape_directory_page(area, address), address);

	if (!parts) {
		if (entry)
			take_out(runtime, entry);
		return;
	}
	if (!entry)
		entry = put_in(runtime, area, address);
	make_room(runtime, entry, parts);
	memcpy(entry->part, part, parts * sizeof(*part));
	entry->parts = (uint16_t)parts;
	runtime->directory->changes++;
}

/* -- what is written --------------------------------------------------------------------------- */

static void list(struct cape_runtime *runtime, struct cape_need_list *list, uint64_t address)
{
	if (!list->range)
		list->range = cape_must_reserve(runtime, CAPE_NEED_LIST);
	cape_need_list_add(list, (struct cape_range){address, address + CAPE_PAGE});
}

/* The directory's entry: NODE has it alone. */
static void leave_to(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
		     unsigned node)
{
	struct cape_directory_page *page = cape_directory_page(area, address);
	cape_node_set alone = cape_node_set_of(node);

	if (page->agreed.holders == alone)
		return;
	cape_need_page_used(page);
	cape_need_forget_readers(page);
	cape_directory_set(runtime, area, address, alone, node, CAPE_EVENT_PLAN);
	if (node == runtime->node)
		list(runtime, &table_of(runtime)->alone, address);
}

/*
 * Whether NODE wrote START .. END - 1 last, and no other node has that.  NODE is another one than
 * this if that is all of a page.
 */
static bool is_as_before(struct cape_runtime *runtime, const struct cape_directory_page *page,
			 unsigned node, uint64_t start, uint64_t end)
{
	struct cape_divided *entry;
	const struct cape_divided_part *around;

	if (!page->local.divided || page->agreed.holders != cape_node_set_of(page->agreed.owner))
		return false;
	entry = cape_divided_find(runtime, page, start);
	around = part_around(entry, (uint16_t)(start - entry->address),
			     (uint16_t)(end - entry->address));
	return around && around->writer == node && around->here == cape_divided_bit(node);
}

/* NODE has written all of it. */
static void write_page(struct cape_runtime *runtime, struct cape_area *area, unsigned node,
		       uint64_t address)
{
	const struct cape_directory_page *page = cape_directory_page(area, address);
	bool open, had = page->agreed.holders == runtime->directory->self;
	bool divided = page->local.divided;

	if (!divided && page->agreed.holders == cape_node_set_of(node))
		return;
	if (node != runtime->node && page->agreed.owner == node &&
	    is_as_before(runtime, page, node, address, address + CAPE_PAGE))
		return;
	open = cape_divided_is_open(runtime, area, address);
	leave_to(runtime, area, address, node);
	if (node == runtime->node) {
		cape_divided_forget(runtime, address);
		cape_divided_set_open(runtime, area, address, open, false);
	} else if (divided || (open && had)) {
		/* Who has used it in known loops before will do that again, as a rule. */
		set_part(runtime, cape_divided_get(runtime, area, address), 0, CAPE_PAGE, node);
		cape_divided_set_open(runtime, area, address, false, open);
	} else if (open) {
		list(runtime, &table_of(runtime)->dropped, address);
	}
}

/* The page, which was common, is NODE's; what this one had of it is still valid. */
static void take_common(struct cape_runtime *runtime, struct cape_area *area, unsigned node,
			uint64_t address)
{
	leave_to(runtime, area, address, node);
	if (node == runtime->node && !table_of(runtime)->sends)
		return;
	cape_divided_add_here(runtime, cape_divided_get(runtime, area, address), 0, UINT64_MAX);
}

/* Whether a node besides NODE has some of it, as far as it is to be known. */
static bool has_copies(const struct cape_runtime *runtime, const struct cape_divided *entry,
		       unsigned node)
{
	bool has = false;

	for (unsigned i = 0; i < entry->parts; i++)
		has |= entry->part[i].here != cape_divided_bit(node);
	return has && table_of(runtime)->sends;
}

/* NODE has written all of it since it was divided.  Whether the entry has gone. */
static bool end_division(struct cape_runtime *runtime, struct cape_area *area, unsigned node,
			 uint64_t address)
{
	leave_to(runtime, area, address, node);
	if (node != runtime->node ||
	    has_copies(runtime, place_of(table_of(runtime), address), node))
		return false;
	cape_divided_forget(runtime, address);
	return true;
}

/* It is NODE's, this one, and no part of it need be remembered. */
static bool is_whole(const struct cape_runtime *runtime, const struct cape_directory_page *page,
		     unsigned node)
{
	return !page->local.divided && node == runtime->node && page->agreed.owner == node &&
	       (!table_of(runtime)->sends || page->agreed.holders == runtime->directory->self);
}

static void write_part(struct cape_runtime *runtime, struct cape_area *area, unsigned node,
		       uint64_t start, uint64_t end)
{
	uint64_t address = cape_page_floor(start);
	const struct cape_directory_page *page = cape_directory_page(area, address);
	struct cape_divided *entry;
	bool open;

	if (!page->local.divided && page->agreed.holders == cape_node_set_of(node))
		return;
	if (is_as_before(runtime, page, node, start, end))
		return;
	open = cape_divided_is_open(runtime, area, address);
	if (!page->agreed.holders)
		take_common(runtime, area, node, address);
	if (is_whole(runtime, page, node)) {
		leave_to(runtime, area, address, node);
		return;
	}
	entry = cape_divided_get(runtime, area, address);
	leave_to(runtime, area, address, page->agreed.owner);
	set_part(runtime, entry, (uint16_t)(start - address), (uint16_t)(end - address), node);
	if (writer_of(entry) >= 0 &&
	    end_division(runtime, area, (unsigned)writer_of(entry), address)) {
		cape_divided_set_open(runtime, area, address, open, false);
		return;
	}
	cape_divided_set_open(runtime, area, address, false, open);
}

void cape_divided_write(struct cape_runtime *runtime, unsigned node, struct cape_range range)
{
	struct cape_area *area = cape_areas_find(runtime->areas, range.start, 1);

	for (uint64_t at = range.start, next; at < range.end; at = next) {
		next = cape_page_end(at, range.end);
		cape_need_page_clear_common_due(cape_directory_page(area, at));
		if (next - at == CAPE_PAGE)
			write_page(runtime, area, node, at);
		else
			write_part(runtime, area, node, at, next);
	}
}

static void drop(struct cape_runtime *runtime, struct cape_area *area, struct cape_range pages)
{
	cape_area_forget(area, pages);
	if (area->kind == CAPE_AREA_HEAP)
		syscall(SYS_madvise, pages.start, pages.end - pages.start, MADV_DONTNEED);
	cape_need_protect(runtime, pages, true);
	cape_ranges_remove(runtime, &table_of(runtime)->opened, pages);
	table_of(runtime)->opened_changed = true;
}

/* What is open with what is around it is closed with that, too. */
static void drop_closed(struct cape_runtime *runtime, struct cape_range pages)
{
	struct cape_area *area = cape_areas_find(runtime->areas, pages.start, 1);

	for (uint64_t at = pages.start, end; at < pages.end; at = end) {
		bool open = cape_divided_is_open(runtime, area, at);

		for (end = at + CAPE_PAGE;
		     end < pages.end && cape_divided_is_open(runtime, area, end) == open;)
			end += CAPE_PAGE;
		if (!open)
			drop(runtime, area, (struct cape_range){at, end});
	}
}

void cape_divided_drop(struct cape_runtime *runtime)
{
	struct cape_divided_table *table = table_of(runtime);

	for (size_t i = 0; i < table->dropped.count; i++)
		drop_closed(runtime, table->dropped.range[i]);
	for (size_t i = 0; i < table->alone.count; i++)
		cape_area_forget(cape_areas_find(runtime->areas, table->alone.range[i].start, 1),
				 table->alone.range[i]);
	table->dropped.count = table->alone.count = 0;
}

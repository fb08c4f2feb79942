// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * directory.c - the directory: an entry for each page, and bits that find pages of a kind.
 */
#include "memory/directory.h"

#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "heap/heap.h"
#include "memory/flushed.h"
#include "system/libc.h"
#include "system/number.h"

CAPE_PART(directory, NULL);

#define BITS   64u
#define LEVELS 4u

#define NONOWNER_MOST 3u /* times that others write to a page before it is common for good */

/* Of an area, of which most was never touched. */
struct cape_directory_area {
	struct cape_directory_page *page;
	uint64_t *owned;   /* a bit for each page that is not common */
	uint64_t *absent;  /* for each that is not here */
	uint64_t *alone;   /* for each that is here only */
	uint64_t *open;	   /* for each that is here, not common, and not protected */
	uint64_t *written; /* for each that may be written to while it is common */
	/* A bit for each word of OWNED and WRITTEN, then of the level before, that was ever set. */
	uint64_t *touched[LEVELS];
	size_t words[LEVELS];
};

static size_t page_index(const struct cape_area *area, uint64_t address)
{
	return (address - cape_page_floor(area->start)) / CAPE_PAGE;
}

static uint64_t page_address(const struct cape_area *area, size_t index)
{
	return cape_page_floor(area->start) + index * CAPE_PAGE;
}

static void keep(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address,
		 uint64_t size)
{
	uint64_t start = address > area->start ? address : area->start;
	uint64_t end = address + size < area->end ? address + size : area->end;

	for (uint64_t at = cape_page_floor(start); at < end; at += CAPE_PAGE)
		cape_directory_stay(runtime, area, at);
}

/* What the run time needs at any time: where its own memory is, and what the heap consists of. */
static void keep_own_pages(struct cape_runtime *runtime, const struct cape_area *area)
{
	struct cape_heap_range range[1 + CAPE_HEAP_MAX_NODES];
	size_t count = cape_heap_ranges(runtime->heap, range, 1 + CAPE_HEAP_MAX_NODES);

	keep(runtime, area, (uint64_t)(uintptr_t)&cape_runtime, sizeof(void *));
	for (size_t i = 0; i < count; i++)
		keep(runtime, area, range[i].address, cape_arena_first_block());
}

/* Pages of which a part is another's stay common. */
static void keep_mixed_pages(struct cape_runtime *runtime, const struct cape_area *area)
{
	if (area->start % CAPE_PAGE)
		keep(runtime, area, area->start, 1);
	if (area->end % CAPE_PAGE)
		keep(runtime, area, area->end - 1, 1);
}

static void start_area(struct cape_runtime *runtime, struct cape_area *area)
{
	size_t pages = page_index(area, area->end) + 2, words = pages / BITS + 1;

	area->directory = cape_must_reserve(runtime, sizeof(*area->directory));
	*area->directory = (struct cape_directory_area){
		.page = cape_must_reserve(runtime, pages * sizeof(struct cape_directory_page)),
		.owned = cape_must_reserve(runtime, words * sizeof(uint64_t)),
		.absent = cape_must_reserve(runtime, words * sizeof(uint64_t)),
		.alone = cape_must_reserve(runtime, words * sizeof(uint64_t)),
		.open = cape_must_reserve(runtime, words * sizeof(uint64_t)),
		.written = cape_must_reserve(runtime, words * sizeof(uint64_t)),
	};
	for (unsigned level = 0; level < LEVELS; level++) {
		words = words / BITS + 1;
		area->directory->words[level] = words;
		area->directory->touched[level] =
			cape_must_reserve(runtime, words * sizeof(uint64_t));
	}
	/* Twins will be of pages here and there. */
	if (area->twin)
		syscall(SYS_madvise, area->twin,
			cape_page_ceiling(area->end) - cape_page_floor(area->start),
			MADV_NOHUGEPAGE);
	keep_own_pages(runtime, area);
	keep_mixed_pages(runtime, area);
}

/* What one loaded object finds functions by, which the run time uses while pages are not here. */
static int keep_functions(struct dl_phdr_info *info, size_t size, void *context)
{
	struct cape_runtime *runtime = context;
	uint64_t table = 0, length = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		const ElfW(Dyn) *entry = (const void *)(info->dlpi_addr + header->p_vaddr);

		for (; header->p_type == PT_DYNAMIC && entry->d_tag != DT_NULL; entry++) {
			if (entry->d_tag == DT_PLTGOT)
				table = entry->d_un.d_ptr;
			else if (entry->d_tag == DT_PLTRELSZ)
				length = entry->d_un.d_val / sizeof(ElfW(Rela)) * sizeof(void *);
		}
	}
	for (size_t i = 0; i < runtime->areas->count && table; i++)
		if (runtime->areas->area[i].directory)
			keep(runtime, &runtime->areas->area[i], table, length + 3 * sizeof(void *));
	return 0;
}

/* There is no list where nothing else of it is linked. */
static void keep_flushed(struct cape_runtime *runtime)
{
	const struct cape_ranges *flushed = runtime->flushed;

	for (size_t i = 0; flushed && i < flushed->count; i++) {
		struct cape_range range = flushed->range[i];
		const struct cape_area *area =
			cape_areas_find(runtime->areas, range.start, range.end - range.start);

		if (area && area->directory)
			keep(runtime, area, range.start, range.end - range.start);
	}
}

void cape_directory_start(struct cape_runtime *runtime)
{
	runtime->directory->state = 1;
	runtime->directory->self = cape_node_set_of(runtime->node);
	cape_node_sets_start(runtime, &runtime->directory->sets);
	cape_transitions_start(&runtime->directory->transitions, getenv("CAPE_TEST_PAGES"));
	for (size_t i = 0; i < runtime->areas->count; i++) {
		struct cape_area *area = &runtime->areas->area[i];

		if (area->kind == CAPE_AREA_HEAP || area->kind == CAPE_AREA_STATIC)
			start_area(runtime, area);
	}
	dl_iterate_phdr(keep_functions, runtime);
	keep_flushed(runtime);
}

struct cape_directory_page *cape_directory_page(const struct cape_area *area, uint64_t address)
{
	return area->directory ? &area->directory->page[page_index(area, address)] : NULL;
}

bool cape_directory_is_here(const struct cape_runtime *runtime, const struct cape_area *area,
			    uint64_t address)
{
	const struct cape_directory_page *page = cape_directory_page(area, address);

	return !page || !page->agreed.holders || cape_directory_holds(runtime, page);
}

static void set_bit(uint64_t *bits, size_t index, bool value)
{
	uint64_t bit = 1ull << (index % BITS);

	bits[index / BITS] = (bits[index / BITS] & ~bit) | (value ? bit : 0);
}

static void set_open(struct cape_runtime *runtime, struct cape_area *area, size_t index, bool open)
{
	if (((area->directory->open[index / BITS] >> (index % BITS)) & 1) != open)
		runtime->directory->open ^= cape_number_mix(1, page_address(area, index));
	set_bit(area->directory->open, index, open);
}

static uint64_t number_of(const struct cape_area *area, size_t index)
{
	const struct cape_page_agreed *page = &area->directory->page[index].agreed;
	uint64_t number = cape_number_mix(1, page_address(area, index));

	if (!page->holders)
		return 0;
	return cape_number_mix(cape_number_mix(number, page->owner), page->holders);
}

/* Whether the kernel may have to distinguish page INDEX from the one before. */
static bool is_border(const struct cape_runtime *runtime, const struct cape_directory_page *page,
		      size_t index)
{
	static const struct cape_directory_page common;
	const struct cape_directory_page *before = index ? &page[index - 1] : &common;
	const struct cape_directory_page *here = &page[index];

	return !before->agreed.holders != !here->agreed.holders ||
	       (here->agreed.holders &&
		(before->agreed.owner != here->agreed.owner ||
		 cape_directory_holds(runtime, before) != cape_directory_holds(runtime, here)));
}

/* Whether page INDEX has other holders than the one before. */
static bool begins_piece(const struct cape_directory_page *page, size_t index)
{
	const struct cape_directory_page *here = &page[index];
	cape_node_set before = index ? page[index - 1].agreed.holders : CAPE_NO_NODES;

	return here->agreed.holders != before ||
	       (before && page[index - 1].agreed.owner != here->agreed.owner);
}

bool cape_directory_is_open(const struct cape_area *area, uint64_t address)
{
	size_t index = page_index(area, address);

	return area->directory->open[index / BITS] >> (index % BITS) & 1;
}

bool cape_directory_is_common(const struct cape_runtime *runtime, struct cape_range range)
{
	for (uint64_t at = range.start; at < range.end; at = cape_page_end(at, range.end)) {
		const struct cape_area *area = cape_areas_find(runtime->areas, at, 1);

		if (area && area->directory && cape_directory_page(area, at)->agreed.holders)
			return false;
	}
	return true;
}

enum cape_page_state cape_directory_state(const struct cape_runtime *runtime,
					  const struct cape_area *area, uint64_t address)
{
	const struct cape_directory_page *entry = cape_directory_page(area, address);
	const struct cape_page_agreed *page = &entry->agreed;
	bool open = cape_directory_is_open(area, address);

	if (!page->holders)
		return CAPE_PAGE_COMMON;
	if (!cape_directory_holds(runtime, entry))
		return CAPE_PAGE_STALE;
	if (page->owner != runtime->node)
		return open ? CAPE_PAGE_HELD : CAPE_PAGE_HELD_SHUT;
	if (page->holders != runtime->directory->self)
		return open ? CAPE_PAGE_OWNED : CAPE_PAGE_OWNED_SHUT;
	return open ? CAPE_PAGE_ALONE : CAPE_PAGE_ALONE_SHUT;
}

static void touch(struct cape_directory_area *directory, size_t index)
{
	for (unsigned level = 0; level < LEVELS; level++) {
		index /= BITS;
		set_bit(directory->touched[level], index, true);
	}
}

static void note_written(const struct cape_area *area, uint64_t address)
{
	size_t index = page_index(area, address);
	bool written = cape_directory_is_written(&area->directory->page[index]);

	set_bit(area->directory->written, index, written);
	if (written)
		touch(area->directory, index);
}

static void count_stay(struct cape_directory *directory, uint64_t address)
{
	directory->stayed[directory->stays++ % CAPE_DIRECTORY_STAYED] = cape_page_floor(address);
}

/* HOLDERS of the page at INDEX are others from now on. */
static void set(struct cape_runtime *runtime, struct cape_area *area, size_t index,
		cape_node_set holders, unsigned owner)
{
	struct cape_directory *directory = runtime->directory;
	struct cape_directory_page *page = &area->directory->page[index];
	bool here = cape_node_set_has(&directory->sets, holders, runtime->node);

	directory->changes++;
	directory->state -= number_of(area, index);
	if (page->agreed.stays && !holders != !page->agreed.holders)
		count_stay(directory, page_address(area, index));
	/* What this node begins to hold it has just used. */
	if (!here)
		set_open(runtime, area, index, false);
	else if (!cape_directory_holds(runtime, page))
		set_open(runtime, area, index, true);
	directory->count += (holders != 0) - (uint64_t)(page->agreed.holders != 0);
	for (size_t i = index; i < index + 2; i++) {
		directory->borders -= is_border(runtime, area->directory->page, i);
		directory->pieces -= begins_piece(area->directory->page, i);
	}
	page->agreed.holders = holders;
	page->agreed.owner = (uint16_t)owner;
	directory->state += number_of(area, index);
	for (size_t i = index; i < index + 2; i++) {
		directory->borders += is_border(runtime, area->directory->page, i);
		directory->pieces += begins_piece(area->directory->page, i);
	}
	set_bit(area->directory->owned, index, holders);
	set_bit(area->directory->absent, index, holders && !here);
	set_bit(area->directory->alone, index, holders == directory->self);
	if (holders)
		touch(area->directory, index);
}

void cape_directory_set(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
			cape_node_set holders, unsigned owner, enum cape_page_event event)
{
	const struct cape_transitions *transitions = &runtime->directory->transitions;
	enum cape_page_state before = CAPE_PAGE_COMMON;

	if (transitions->checked)
		before = cape_directory_state(runtime, area, address);
	set(runtime, area, page_index(area, address), holders, owner);
	if (transitions->checked)
		cape_transitions_check(runtime, transitions, address, before, event,
				       cape_directory_state(runtime, area, address));
}

void cape_directory_add(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
			cape_node_set nodes, enum cape_page_event event)
{
	const struct cape_page_agreed *page = &cape_directory_page(area, address)->agreed;
	struct cape_node_sets *sets = &runtime->directory->sets;

	cape_directory_set(runtime, area, address, cape_node_set_union(sets, page->holders, nodes),
			   page->owner, event);
}

void cape_directory_stay(struct cape_runtime *runtime, const struct cape_area *area,
			 uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	/* Else that is of no matter until it is. */
	if (!page->agreed.stays && !page->agreed.holders)
		count_stay(runtime->directory, address);
	page->agreed.stays = true;
	note_written(area, address);
}

bool cape_directory_stayed(const struct cape_runtime *runtime, struct cape_range range,
			   uint64_t stays)
{
	const struct cape_directory *directory = runtime->directory;
	bool any = directory->stays - stays > CAPE_DIRECTORY_STAYED;

	for (uint64_t n = stays; n < directory->stays && !any; n++) {
		uint64_t address = directory->stayed[n % CAPE_DIRECTORY_STAYED];

		any = address < range.end && range.start < address + CAPE_PAGE;
	}
	return any;
}

void cape_directory_note_nonowner(struct cape_runtime *runtime, const struct cape_area *area,
				  uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	page->agreed.nonowner += page->agreed.nonowner < NONOWNER_MOST;
	if (page->agreed.nonowner == NONOWNER_MOST)
		cape_directory_stay(runtime, area, address);
}

void cape_directory_forbid_claims(struct cape_runtime *runtime, struct cape_range range,
				  bool claims_forbidden)
{
	const struct cape_area *area =
		cape_areas_find(runtime->areas, range.start, range.end - range.start);

	if (!area || !area->directory)
		return;
	for (uint64_t at = range.start; at < range.end; at = cape_page_end(at, range.end)) {
		cape_directory_page(area, at)->local.claims_forbidden = claims_forbidden;
		note_written(area, at);
	}
}

static void check_open(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
		       bool open)
{
	enum cape_page_state before = cape_directory_state(runtime, area, address), after;

	set_open(runtime, area, page_index(area, address), open);
	after = cape_directory_state(runtime, area, address);
	cape_transitions_check(runtime, &runtime->directory->transitions, address, before,
			       open ? CAPE_EVENT_OPEN : CAPE_EVENT_SHUT, after);
}

void cape_directory_open(struct cape_runtime *runtime, struct cape_area *area,
			 struct cape_range pages, bool open)
{
	size_t end = page_index(area, pages.end);
	bool checked = runtime->directory->transitions.checked;

	for (size_t i = page_index(area, pages.start); i < end; i++) {
		if (checked)
			check_open(runtime, area, page_address(area, i), open);
		set_open(runtime, area, i, open);
	}
}

/* Bits of pages of KIND. */
static uint64_t word_of(const struct cape_directory_area *directory, size_t word,
			enum cape_directory_kind kind)
{
	switch (kind) {
	case CAPE_PAGES_HELD:
		return directory->owned[word] & ~directory->absent[word];
	case CAPE_PAGES_ABSENT:
		return directory->absent[word];
	case CAPE_PAGES_OPEN:
		return directory->open[word];
	case CAPE_PAGES_SHUT:
		return directory->owned[word] & ~directory->open[word];
	case CAPE_PAGES_UNWATCHED:
		return directory->alone[word] | (directory->owned[word] & ~directory->open[word]);
	case CAPE_PAGES_WRITTEN:
		return directory->written[word] & ~directory->owned[word];
	case CAPE_PAGES_UNSETTLED:
		return directory->owned[word] | directory->written[word];
	default:
		return directory->owned[word];
	}
}

/* The first word of the level below LEVEL, from FIRST on, that was ever set; or SIZE_MAX. */
static size_t next_touched(const struct cape_directory_area *directory, unsigned level,
			   size_t first)
{
	for (size_t at = first / BITS; at < directory->words[level];) {
		uint64_t word = directory->touched[level][at];

		if (at == first / BITS)
			word &= ~0ull << (first % BITS);
		if (word)
			return at * BITS + (size_t)__builtin_ctzll(word);
		at = level + 1 < LEVELS ? next_touched(directory, level + 1, at + 1) : at + 1;
	}
	return SIZE_MAX;
}

/* The first page from FIRST on, before END, whose bit is VALUE; else END. */
static size_t find(const struct cape_directory_area *directory, size_t first, size_t end,
		   enum cape_directory_kind kind, bool value)
{
	for (size_t at = first, next; at < end; at = next * BITS) {
		uint64_t word = word_of(directory, at / BITS, kind);

		word = (value ? word : ~word) >> (at % BITS);
		if (word) {
			at += (size_t)__builtin_ctzll(word);
			return at < end ? at : end;
		}
		next = at / BITS + 1;
		if (next * BITS >= end)
			break;
		/* Where nothing comes any more, that looks at the whole area. */
		if (value)
			next = next_touched(directory, 0, next);
		if (next > end / BITS)
			break;
	}
	return end;
}

struct cape_range cape_directory_next(const struct cape_area *area, struct cape_range range,
				      enum cape_directory_kind kind)
{
	size_t end, start, stop;

	if (!area->directory || range.start >= range.end)
		return (struct cape_range){UINT64_MAX, UINT64_MAX};
	end = page_index(area, cape_page_ceiling(range.end));
	start = find(area->directory, page_index(area, range.start), end, kind, true);
	if (start == end)
		return (struct cape_range){UINT64_MAX, UINT64_MAX};
	stop = find(area->directory, start, end, kind, false);
	return (struct cape_range){page_address(area, start), page_address(area, stop)};
}

/* The word of the level below LEVEL that was ever set, the last one up to LAST; or SIZE_MAX. */
static size_t touched_before(const struct cape_directory_area *directory, unsigned level,
			     size_t last)
{
	for (size_t at = last / BITS; at < directory->words[level];) {
		uint64_t word = directory->touched[level][at];

		if (at == last / BITS)
			word &= ~0ull >> (BITS - 1 - last % BITS);
		if (word)
			return at * BITS + BITS - 1 - (size_t)__builtin_clzll(word);
		if (!at)
			break;
		at = level + 1 < LEVELS ? touched_before(directory, level + 1, at - 1) : at - 1;
	}
	return SIZE_MAX;
}

/* The page after the last one of KIND before END; 0: there is none. */
static size_t find_before(const struct cape_directory_area *directory, size_t end,
			  enum cape_directory_kind kind)
{
	for (size_t at = end; at; at = (at + 1) * BITS) {
		size_t index = (at - 1) / BITS;
		uint64_t word =
			word_of(directory, index, kind) & (~0ull >> (BITS - 1 - (at - 1) % BITS));

		if (word)
			return index * BITS + BITS - (size_t)__builtin_clzll(word);
		at = index ? touched_before(directory, 0, index - 1) : SIZE_MAX;
		if (at == SIZE_MAX)
			break;
	}
	return 0;
}

struct cape_range cape_directory_between(const struct cape_area *area, struct cape_range range,
					 enum cape_directory_kind kind)
{
	struct cape_range around = {area->start, area->end};
	struct cape_range after = {range.start, area->end};
	size_t before;

	if (!area->directory)
		return around;
	before = find_before(area->directory, page_index(area, range.start), kind);
	if (before)
		around.start = page_address(area, before);
	after = cape_directory_next(area, after, kind);
	if (after.start < around.end)
		around.end = after.start;
	return around;
}

int cape_directory_each(struct cape_runtime *runtime, enum cape_directory_kind kind,
			cape_directory_visit visit, void *context)
{
	for (size_t i = 0; i < runtime->areas->count; i++) {
		struct cape_area *area = &runtime->areas->area[i];
		struct cape_range left = {area->start, area->end}, pages;

		for (; (pages = cape_directory_next(area, left, kind)).start != UINT64_MAX;
		     left.start = pages.end) {
			int result = visit(context, area, pages);

			if (result)
				return result;
		}
	}
	return 0;
}

int cape_directory_without(struct cape_area *area, struct cape_range range,
			   enum cape_directory_kind kind, cape_directory_visit visit, void *context)
{
	while (range.start < range.end) {
		struct cape_range out = cape_directory_next(area, range, kind);
		struct cape_range part = {range.start,
					  out.start < range.end ? out.start : range.end};
		int result = part.start < part.end ? visit(context, area, part) : 0;

		if (result || out.start == UINT64_MAX)
			return result;
		range.start = out.end;
	}
	return 0;
}

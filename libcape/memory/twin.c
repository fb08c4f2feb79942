/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * twin.c - the persistent twin of an area, page by page.
 *
 * Untouched pages cost nothing: /proc/self/pagemap shows which pages exist, and the twin of a
 * page of zeros is not written (the matrix sum of the thesis then costs 0-3 %).
 */
#include "memory/twin.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include "channel/channel.h"
#include "checkpoint/diff.h"
#include "system/libc.h"
#include "system/ranges.h"

/* What a page's twin is.  ZERO must be 0: it is the state of a page that nobody met. */
enum page_state {
	ZERO,  /* stands for zeros; nothing was written to it */
	VALID, /* holds the page's base */
	STALE, /* memory is the base */
};

#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_SWAPPED (1ull << 62)
#define PAGEMAP_BATCH	512
#define SMALL_RANGE	(16 * CAPE_PAGE)

static size_t page_index(const struct cape_area *area, uint64_t address)
{
	return (address - cape_page_floor(area->start)) / CAPE_PAGE;
}

static unsigned char *twin_of(const struct cape_area *area, uint64_t address)
{
	return area->twin + (address - cape_page_floor(area->start));
}

static unsigned char *memory_at(uint64_t address)
{
	return (unsigned char *)(uintptr_t)address;
}

void cape_twins_start(struct cape_areas *areas)
{
	areas->pagemap =
		(int)syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (areas->pagemap >= 0) {
		int high = fcntl(areas->pagemap, F_DUPFD_CLOEXEC, CAPE_OWN_FD);

		close(areas->pagemap);
		areas->pagemap = high;
	}
}

static int make(struct cape_private *private, struct cape_area *area, uint64_t initialised)
{
	size_t pages = (cape_page_ceiling(area->end) - cape_page_floor(area->start)) / CAPE_PAGE;

	area->twin = cape_private_reserve(private, pages * CAPE_PAGE);
	if (!area->twin)
		return -errno;
	madvise(area->twin, pages * CAPE_PAGE, MADV_HUGEPAGE);
	if (area->kind == CAPE_AREA_STACK)
		return 0;
	area->state = cape_private_reserve(private, pages);
	if (!area->state)
		return -errno;
	if (initialised > area->start)
		memset(area->state, STALE,
		       (cape_page_ceiling(initialised) - cape_page_floor(area->start)) / CAPE_PAGE);
	return 0;
}

/* What is known of a batch of pages: which of them exist. */
struct presence {
	bool is_small;	/* so few pages that looking at them is faster than asking */
	uint64_t first; /* page number of entry[0] */
	size_t count;
	uint64_t entry[PAGEMAP_BATCH];
};

/* Without pagemap every page is taken to exist: right, only slower. */
static bool page_exists(const struct cape_areas *areas, struct presence *known, uint64_t address,
			uint64_t end)
{
	uint64_t page = address / CAPE_PAGE;

	if (areas->pagemap < 0 || known->is_small)
		return true;
	if (page < known->first || page >= known->first + known->count) {
		size_t want = cape_least(PAGEMAP_BATCH, cape_page_ceiling(end) / CAPE_PAGE - page);
		ssize_t got = pread(areas->pagemap, known->entry, want * sizeof(uint64_t),
				    (off_t)(page * sizeof(uint64_t)));

		if (got < (ssize_t)sizeof(uint64_t))
			return true;
		known->first = page;
		known->count = (size_t)got / sizeof(uint64_t);
	}
	return known->entry[page - known->first] & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED);
}

uint64_t cape_twin_untouched(const struct cape_areas *areas, const struct cape_area *area,
			     struct cape_range range)
{
	uint64_t at = range.start, end = cape_least(range.end, area->end);
	struct presence known = {0};

	while (area->state && at < end && area->state[page_index(area, at)] == ZERO &&
	       !page_exists(areas, &known, at, end))
		at = cape_page_end(at, end);
	return at;
}

/* A page of which only a part belongs to the area is folded in that part alone. */
static void fold_page(const struct cape_area *area, uint64_t address, size_t length,
		      unsigned char *state)
{
	unsigned char *twin = twin_of(area, address);
	unsigned char *memory = memory_at(address);

	switch (*state) {
	case ZERO:
		if (cape_is_zero(memory, length))
			return;
		break;
	case VALID:
		if (memcmp(twin, memory, length) == 0)
			return;
		break;
	}
	memcpy(twin, memory, length);
	*state = VALID;
}

void cape_twin_fold(struct cape_areas *areas, struct cape_area *area, struct cape_range range)
{
	struct presence known = {.is_small = range.end - range.start <= SMALL_RANGE};
	unsigned char whole = VALID;

	for (uint64_t at = range.start, next; at < range.end; at = next) {
		unsigned char *state = area->state ? &area->state[page_index(area, at)] : &whole;

		next = cape_page_end(at, range.end);
		if (*state == ZERO && !page_exists(areas, &known, at, range.end))
			continue;
		fold_page(area, at, next - at, state);
	}
}

void cape_twin_postpone(struct cape_areas *areas, struct cape_area *area, struct cape_range range)
{
	struct presence known = {.is_small = range.end - range.start <= SMALL_RANGE};

	for (uint64_t at = range.start; at < range.end; at = cape_page_floor(at) + CAPE_PAGE) {
		unsigned char *state = &area->state[page_index(area, at)];

		if (*state != ZERO || page_exists(areas, &known, at, range.end))
			*state = STALE;
	}
}

/* Which comparison a page needs; pages in a row that need the same are compared as one. */
enum comparison { COMPARE_NOTHING, COMPARE_ZERO, COMPARE_TWIN };

static enum comparison comparison(const struct cape_areas *areas, struct presence *known,
				  const struct cape_area *area, uint64_t at, uint64_t end)
{
	if (!area->state)
		return COMPARE_TWIN;
	switch (area->state[page_index(area, at)]) {
	case VALID:
		return COMPARE_TWIN;
	case ZERO:
		return page_exists(areas, known, at, end) ? COMPARE_ZERO : COMPARE_NOTHING;
	default:
		return COMPARE_NOTHING;
	}
}

static int diff_stretch(struct cape_areas *areas, const struct cape_area *area, enum comparison how,
			uint64_t start, uint64_t end, struct cape_runs *runs)
{
	if (how == COMPARE_NOTHING || start == end)
		return 0;
	areas->compared += end - start;
	return cape_diff(memory_at(start), how == COMPARE_TWIN ? twin_of(area, start) : NULL,
			 end - start, start, runs);
}

static int diff(struct cape_areas *areas, struct cape_area *area, struct cape_range range,
		struct cape_runs *runs)
{
	struct presence known = {.is_small = range.end - range.start <= SMALL_RANGE};
	enum comparison how = COMPARE_NOTHING;
	uint64_t start = range.start;
	int error;

	for (uint64_t at = range.start; at < range.end; at = cape_page_floor(at) + CAPE_PAGE) {
		enum comparison page = comparison(areas, &known, area, at, range.end);

		if (page == how)
			continue;
		error = diff_stretch(areas, area, how, start, at, runs);
		if (error)
			return error;
		how = page;
		start = at;
	}
	return diff_stretch(areas, area, how, start, range.end, runs);
}

/* A twin that was never written holds zeros; of a stale one, memory is the base. */
static void make_valid(const struct cape_area *area, uint64_t at, unsigned char *state)
{
	uint64_t start = cape_page_floor(at) < area->start ? area->start : cape_page_floor(at);
	uint64_t end = cape_page_end(at, area->end);

	if (*state == STALE)
		memcpy(twin_of(area, start), memory_at(start), end - start);
	*state = VALID;
}

/* The first pages of RANGE whose memory is the base, up to one whose is not; or at UINT64_MAX. */
static struct cape_range next_stale(const struct cape_area *area, struct cape_range range)
{
	const unsigned char *first = &area->state[page_index(area, range.start)];
	const unsigned char *end = &area->state[page_index(area, range.end - 1)] + 1;
	const unsigned char *state = memchr(first, STALE, (size_t)(end - first));
	uint64_t start;

	if (!state)
		return (struct cape_range){UINT64_MAX, UINT64_MAX};
	start = cape_page_floor(range.start) + (uint64_t)(state - first) * CAPE_PAGE;
	range.end = start;
	for (; state < end && *state == STALE; state++)
		range.end += CAPE_PAGE;
	range.start = start < area->start ? area->start : start;
	if (range.end > area->end)
		range.end = area->end;
	return range;
}

static void note_valid(struct cape_area *area, struct cape_range pages)
{
	memset(&area->state[page_index(area, pages.start)], VALID,
	       page_index(area, pages.end - 1) - page_index(area, pages.start) + 1);
}

/* HIDDEN reads memory that the program cannot use; NULL: it can. */
static bool catch_up(struct cape_area *area, struct cape_range range,
		     const struct cape_hidden *hidden)
{
	struct cape_range stale;

	for (; range.start < range.end; range.start = stale.end) {
		unsigned char *twin;
		uint64_t length;

		stale = next_stale(area, range);
		if (stale.start == UINT64_MAX)
			break;
		twin = twin_of(area, stale.start);
		length = stale.end - stale.start;
		if (!hidden)
			memcpy(twin, memory_at(stale.start), length);
		else if (!cape_hidden_read(hidden, twin, stale.start, length))
			return false;
		note_valid(area, stale);
	}
	return true;
}

void cape_twin_catch_up(struct cape_area *area, struct cape_range range)
{
	catch_up(area, range, NULL);
}

bool cape_twin_catch_up_hidden(struct cape_area *area, struct cape_range range,
			       const struct cape_hidden *hidden)
{
	return catch_up(area, range, hidden);
}

static void settle_page(struct cape_area *area, uint64_t at, uint64_t end, bool keep)
{
	unsigned char *state = area->state ? &area->state[page_index(area, at)] : NULL;

	if (state && !keep) {
		*state = STALE;
		return;
	}
	if (state)
		make_valid(area, at, state);
	memcpy(twin_of(area, at), memory_at(at), end - at);
}

static void settle(struct cape_area *area, uint64_t address, uint64_t length, bool keep)
{
	uint64_t end = address + length;

	for (uint64_t at = address, next; at < end; at = next) {
		next = cape_page_end(at, end);
		settle_page(area, at, next, keep);
	}
}

static unsigned char *whole(struct cape_area *area, uint64_t address, uint64_t length)
{
	for (uint64_t at = address; area->state && at < address + length;
	     at = cape_page_floor(at) + CAPE_PAGE)
		make_valid(area, at, &area->state[page_index(area, at)]);
	return twin_of(area, address);
}

static const unsigned char *base_at(const struct cape_area *area, uint64_t address, uint64_t end,
				    uint64_t *known)
{
	*known = cape_page_end(address, end);
	if (area->state && area->state[page_index(area, address)] == ZERO)
		return NULL;
	return twin_of(area, address);
}

static void forget(struct cape_area *area, struct cape_range range)
{
	uint64_t start = cape_page_ceiling(range.start);
	uint64_t end = cape_page_floor(range.end);

	if (start >= end)
		return;
	/* The program may have locked all memory. */
	if (madvise(twin_of(area, start), end - start, MADV_DONTNEED) < 0)
		memset(twin_of(area, start), 0, end - start);
	if (area->state)
		memset(&area->state[page_index(area, start)], ZERO, (end - start) / CAPE_PAGE);
}

static void leave(struct cape_area *area, struct cape_range range)
{
	if (area->state)
		memset(&area->state[page_index(area, range.start)], VALID,
		       (range.end - range.start) / CAPE_PAGE);
}

void cape_twin_restore(struct cape_area *area, struct cape_range range)
{
	for (uint64_t at = range.start, next; at < range.end; at = next) {
		unsigned char state = area->state ? area->state[page_index(area, at)] : VALID;

		next = cape_page_end(at, range.end);
		if (state == VALID && memcmp(memory_at(at), twin_of(area, at), next - at) != 0)
			memcpy(memory_at(at), twin_of(area, at), next - at);
		else if (state == ZERO && !cape_is_zero(memory_at(at), next - at))
			memset(memory_at(at), 0, next - at);
	}
}

const struct cape_base cape_base_twin = {
	.diff = diff,
	.at = base_at,
	.add = make,
	.settle = settle,
	.twin = whole,
	.forget = forget,
	.leave = leave,
};

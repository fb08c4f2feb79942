// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * track.c - pages written since one last looked: userfaultfd's asynchronous write protection and
 * PAGEMAP_SCAN (Linux 6.7 and later; probed, for headers and kernels may lack them).
 *
 * Of a tracked page that was not written, memory is the twin.  What the run time writes to memory
 * itself counts as written, so nothing else needs to know of this file.
 */
#include "memory/track.h"
#include "memory/written.h"

#include <errno.h>
#include <linux/userfaultfd.h>
#include <sys/syscall.h>
#include "system/libc.h"
#include "base/context.h"
#include "base/model.h"
#include "memory/directory.h"
#include "memory/shared.h"
#include "memory/twin.h"
#include "checkpoint/runs.h"
#include "system/ranges.h"

CAPE_PART(track, NULL);

/* <linux/userfaultfd.h> and <linux/fs.h> of Linux 6.7. */
#define USER_MODE_ONLY	1
#define WP_UNPOPULATED	(1 << 13)
#define WP_ASYNC	(1 << 15)
#define PAGE_IS_WRITTEN (1 << 1)
#define WP_MATCHING	(1 << 0)
#define CHECK_WPASYNC	(1 << 1)

struct scan {
	uint64_t size, flags, start, end, walk_end, regions, length, most;
	uint64_t inverted, mask, any_of, returned;
};

#define PAGEMAP_SCAN _IOWR('f', 16, struct scan)

#define REGIONS_LIMIT  (1ul << 20)
#define GAP_MOST       (64 * CAPE_PAGE)	  /* that nobody watches, and is scanned all the same */
#define JOINED_MOST    (4096 * CAPE_PAGE) /* a stretch that is scanned with others */
#define WORTH_NS       100000u		  /* what a comparison of everything must take at least */
#define FEW_PASSES     2u		  /* as long as that in one region before it is tried */
#define EXPECT_LEAST   (4 * CAPE_PAGE)
#define EXPECT_MOST    (32 * CAPE_PAGE)
#define FAILURES_MOST  6u
#define MUCH	       2u  /* not worth while: this part of all pages was written */
#define FORGIVEN_AFTER 16u /* passes in which it did pay */

static bool is_tracked(const struct cape_area *area)
{
	return area->kind == CAPE_AREA_STATIC || area->kind == CAPE_AREA_HEAP;
}

/*
 * What is scanned for RANGE: static storage comes in pieces that share pages, so all of it, or what
 * lies between pages that nobody watches.
 */
static struct cape_range pages_of(const struct cape_area *area, struct cape_range range)
{
	if (area->kind == CAPE_AREA_STATIC)
		range = cape_directory_between(area, range, CAPE_PAGES_UNWATCHED);
	return (struct cape_range){cape_page_floor(range.start), cape_page_ceiling(range.end)};
}

/* An ioctl() that may fail, which does not change the program's errno. */
static long ask(int file, unsigned long request, void *argument)
{
	int saved = errno;
	long result = ioctl(file, request, argument);

	errno = saved;
	return result;
}

static int open_file(void)
{
	struct uffdio_api api = {.api = UFFD_API, .features = WP_UNPOPULATED | WP_ASYNC};
	int low = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY);
	int high;

	if (low < 0)
		return -1;
	high = fcntl(low, F_DUPFD_CLOEXEC, CAPE_OWN_FD);
	close(low);
	if (high >= 0 && ioctl(high, UFFDIO_API, &api) < 0) {
		close(high);
		high = -1;
	}
	return high;
}

/*
 * Appends the pages of PAGES that were written, and protects them if FLAGS say so.  False: it
 * cannot be done.
 */
static bool scan_pages(struct cape_runtime *runtime, struct cape_range pages, uint64_t flags)
{
	struct cape_track *track = runtime->track;
	size_t room = REGIONS_LIMIT - track->count;
	struct scan scan = {.size = sizeof(scan),
			    .flags = flags | CHECK_WPASYNC,
			    .start = pages.start,
			    .end = pages.end,
			    .regions = (uint64_t)(uintptr_t)(track->region + track->count),
			    .length = room,
			    .mask = PAGE_IS_WRITTEN,
			    .returned = PAGE_IS_WRITTEN};
	long got = ask(runtime->areas->pagemap, PAGEMAP_SCAN, &scan);

	/* Where there was room it has come to the end, whatever WALK_END says (Linux 6.18). */
	if (got < 0 || (size_t)got == room)
		return false;
	track->count += (size_t)got;
	return true;
}

static bool register_pages(struct cape_runtime *runtime, struct cape_range pages)
{
	struct uffdio_register request = {.range = {pages.start, pages.end - pages.start},
					  .mode = UFFDIO_REGISTER_MODE_WP};

	return ask(runtime->track->file, UFFDIO_REGISTER, &request) == 0;
}

/* Appends what of PAGES may have been written since the last scan; all of a new mapping. */
static void look_at(struct cape_runtime *runtime, struct cape_range pages)
{
	struct cape_track *track = runtime->track;
	size_t before = track->count;

	if (!scan_pages(runtime, pages, WP_MATCHING)) {
		if (register_pages(runtime, pages))
			scan_pages(runtime, pages, WP_MATCHING);
		track->region[before] = (struct cape_track_region){pages.start, pages.end, 0};
		track->count = before + 1;
	}
	track->pages += (pages.end - pages.start) / CAPE_PAGE;
	for (size_t i = before; i < track->count; i++)
		track->written += (track->region[i].end - track->region[i].start) / CAPE_PAGE;
}

/* PAGES, up to the end of the last of the stretches after it that are watched, as well. */
static struct cape_range join(const struct cape_area *area, struct cape_range pages)
{
	for (;;) {
		struct cape_range gap = cape_directory_next(
			area, (struct cape_range){pages.end, area->end}, CAPE_PAGES_UNWATCHED);
		struct cape_range after;

		if (gap.start != pages.end || gap.end - gap.start > GAP_MOST)
			return pages;
		after = cape_directory_next(area, (struct cape_range){gap.end, area->end},
					    CAPE_PAGES_UNWATCHED);
		/* The last stretch may be memory that was never used. */
		if (after.start == UINT64_MAX || after.start - gap.end > JOINED_MOST)
			return pages;
		pages.end = after.start;
	}
}

/* What is watched is registered when it is looked at by itself, and noticed as a new mapping. */
static void register_gaps(struct cape_runtime *runtime, const struct cape_area *area,
			  struct cape_range all)
{
	struct cape_range gap;

	for (; (gap = cape_directory_next(area, all, CAPE_PAGES_UNWATCHED)).start != UINT64_MAX;
	     all.start = gap.end)
		register_pages(runtime, gap);
}

/*
 * Where stretches that are watched lie close together, one scan is for many of them.  It protects
 * nothing: pages that nobody watches would fault for nothing.  False: there is but one.
 */
static bool look_at_several(struct cape_runtime *runtime, const struct cape_area *area,
			    struct cape_range pages)
{
	struct cape_track *track = runtime->track;
	struct cape_range all = pages;

	if (runtime->directory->count && !track->threads && pages.start >= track->apart)
		all = join(area, pages);
	if (all.end == pages.end)
		return false;
	if (!scan_pages(runtime, all, 0)) {
		register_gaps(runtime, area, all);
		track->apart = all.end;
		return false;
	}
	track->what.end = all.end;
	track->several = true;
	return true;
}

/*
 * Lists what of PAGES may have been written.  A page whose first part was asked for before, in this
 * pass, is not asked about again: it would be said to be unwritten.
 */
static void look(struct cape_runtime *runtime, const struct cape_area *area,
		 struct cape_range pages)
{
	struct cape_track *track = runtime->track;
	uint64_t seen = track->what.end;
	bool again = pages.start >= track->what.start && pages.start < seen;
	bool written = track->count && track->region[track->count - 1].end == seen;

	if (pages.start >= track->what.start && pages.end <= seen)
		return;
	track->what = pages;
	track->count = 0;
	track->several = false;
	if (again && written)
		track->region[track->count++] = (struct cape_track_region){pages.start, seen, 0};
	if (again)
		pages.start = seen;
	if (pages.start < pages.end && !look_at_several(runtime, area, pages))
		look_at(runtime, pages);
}

/* The first region that ends after ADDRESS. */
static size_t region_after(const struct cape_track *track, uint64_t address)
{
	return cape_ranges_find(track->region, track->count, sizeof(*track->region), address);
}

/* Those that RANGE touches. */
static uint64_t pages_in(struct cape_range range)
{
	return (cape_page_ceiling(range.end) - cape_page_floor(range.start)) / CAPE_PAGE;
}

/* What one scan for several stretches leaves to do: all of RANGE that was written. */
static void protect(struct cape_runtime *runtime, struct cape_range range)
{
	struct cape_range pages = {cape_page_floor(range.start), cape_page_ceiling(range.end)};
	size_t count = runtime->track->count;

	/* A page that is not protected counts as written again. */
	scan_pages(runtime, pages, WP_MATCHING);
	runtime->track->count = count;
}

/* Calls VISIT for what of RANGE may differ from the twin. */
static int each_part(struct cape_runtime *runtime, struct cape_area *area, struct cape_range range,
		     cape_shared_visit visit)
{
	struct cape_track *track = runtime->track;
	bool any = false;
	int error = 0;

	if (!track->armed || track->whole || !is_tracked(area))
		return visit(runtime, area, range);
	look(runtime, area, pages_of(area, range));
	if (track->several)
		track->pages += pages_in(range);
	for (size_t i = region_after(track, range.start); i < track->count && !error; i++) {
		const struct cape_track_region *region = &track->region[i];
		struct cape_range part = {
			region->start > range.start ? region->start : range.start,
			region->end < range.end ? region->end : range.end,
		};

		if (part.start >= part.end)
			break;
		if (track->several && !any)
			protect(runtime, (struct cape_range){part.start, range.end});
		if (track->several)
			track->written += pages_in(part);
		any = true;
		error = visit(runtime, area, part);
	}
	return error;
}

static int diff_part(void *context, struct cape_area *area, struct cape_range range)
{
	struct cape_runtime *runtime = context;

	return cape_area_diff(runtime->areas, area, range, runtime->track->runs);
}

static int diff_range(void *context, struct cape_area *area, struct cape_range range)
{
	if (cape_shared_stays(context, area))
		return 0;
	return each_part(context, area, range, diff_part);
}

static int fold_part(void *context, struct cape_area *area, struct cape_range range)
{
	struct cape_runtime *runtime = context;

	cape_twin_fold(runtime->areas, area, range);
	return 0;
}

static int fold_range(void *context, struct cape_area *area, struct cape_range range)
{
	const struct cape_runtime *runtime = context;

	if (runtime->track->armed && is_tracked(area))
		cape_twin_catch_up(area, range);
	return each_part(context, area, range, fold_part);
}

static int arm_range(void *context, struct cape_area *area, struct cape_range range)
{
	struct cape_runtime *runtime = context;
	struct cape_range pages = pages_of(area, range), *what = &runtime->track->what;

	if (!is_tracked(area) || (pages.start == what->start && pages.end == what->end))
		return 0;
	*what = pages;
	runtime->track->count = 0;
	look_at(runtime, pages);
	return 0;
}

/* PAGES count as written.  What was mapped since is not registered, and needs nothing. */
static void unprotect(const struct cape_runtime *runtime, struct cape_range pages)
{
	struct uffdio_writeprotect request = {.range = {pages.start, pages.end - pages.start}};

	ask(runtime->track->file, UFFDIO_WRITEPROTECT, &request);
}

static int disarm_range(void *context, struct cape_area *area, struct cape_range range)
{
	if (is_tracked(area))
		unprotect(context, pages_of(area, range));
	return 0;
}

void cape_track_expect(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address,
		       uint64_t length)
{
	struct cape_track *track = runtime->track;
	uint64_t end = length < area->end - address ? address + length : area->end;
	struct cape_range pages = {cape_page_floor(address), cape_page_ceiling(end)};

	if (!track->armed || !is_tracked(area) || length < EXPECT_LEAST ||
	    (address >= track->expected.start && address < track->expected.end))
		return;
	if (pages.end - pages.start > EXPECT_MOST)
		pages.end = pages.start + EXPECT_MOST;
	unprotect(runtime, pages);
	track->expected = pages;
}

void cape_track_again(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address,
		      uint64_t length)
{
	if (runtime->track->armed && is_tracked(area))
		unprotect(runtime, (struct cape_range){cape_page_floor(address),
						       cape_page_ceiling(address + length)});
}

/* From now on, unwritten pages are those whose memory is the twin. */
static void arm(struct cape_runtime *runtime)
{
	struct cape_track *track = runtime->track;
	int saved = errno;

	if (!track->file) {
		track->region = cape_private_reserve(&runtime->private,
						     REGIONS_LIMIT * sizeof(*track->region));
		track->file = track->region && runtime->areas->pagemap >= 0 ? open_file() : -1;
		errno = saved;
	}
	if (track->file < 0)
		return;
	track->armed = true;
	track->what = (struct cape_range){0, 0};
	cape_shared_each_written(runtime, false, arm_range, runtime);
}

static void disarm(struct cape_runtime *runtime)
{
	runtime->track->armed = false;
	cape_shared_each_written(runtime, false, disarm_range, runtime);
}

/* A pass through all memory begins. */
static uint64_t begin(struct cape_runtime *runtime)
{
	struct cape_track *track = runtime->track;

	track->pages = track->written = track->apart = 0;
	track->what = track->expected = (struct cape_range){0, 0};
	return cape_now();
}

/* It has ended, and memory was tracked: does that pay? */
static void judge(struct cape_runtime *runtime)
{
	struct cape_track *track = runtime->track;

	if (track->written > track->pages / MUCH) {
		disarm(runtime);
		track->failures += track->failures < FAILURES_MOST;
		track->pause = 1u << track->failures;
	} else {
		track->successes++;
		if (track->successes % FORGIVEN_AFTER == 0)
			track->failures = 0;
	}
}

/* A comparison of all has ended: would it have been shorter if only what was written is compared?
 */
static void note_comparison(struct cape_runtime *runtime, uint64_t began, uint64_t compared,
			    uint64_t changed)
{
	struct cape_track *track = runtime->track;

	if (track->pause || cape_now() - began <= WORTH_NS || changed > compared / MUCH)
		track->long_passes = 0;
	else
		track->long_passes++;
}

/*
 * Not at once where a region ends: pages that are claimed then nobody will watch.  To protect them
 * would break huge pages into small ones.
 */
static void arm_after(struct cape_runtime *runtime, unsigned passes)
{
	struct cape_track *track = runtime->track;

	/* Where the master hands out jobs, as the papers do, all is compared, as they do. */
	if (runtime->model->hands_out)
		return;
	if (track->pause)
		track->pause--;
	else if (track->long_passes >= passes)
		arm(runtime);
}

static int diff(struct cape_runtime *runtime, bool all, struct cape_runs *runs)
{
	uint64_t began = begin(runtime), compared = runtime->areas->compared;
	int error;

	runtime->track->runs = runs;
	error = cape_shared_each_written(runtime, all, diff_range, runtime);
	if (error || runtime->written->loop_known)
		return error;
	if (runtime->track->armed && !runtime->track->whole)
		judge(runtime);
	else
		note_comparison(runtime, began, runtime->areas->compared - compared, runs->bytes);
	return 0;
}

/* Others write meanwhile: what they write from now on is tracked, and all else is compared. */
static int diff_all_from_now(struct cape_runtime *runtime, struct cape_runs *runs)
{
	struct cape_track *track = runtime->track;
	int error;

	arm_after(runtime, FEW_PASSES);
	track->whole = true;
	error = diff(runtime, false, runs);
	track->whole = false;
	return error;
}

int cape_track_diff(struct cape_runtime *runtime, bool all, struct cape_runs *runs)
{
	bool tracked = runtime->track->armed;
	int error = diff(runtime, all, runs);

	if (!error && !tracked && !runtime->written->loop_known)
		arm_after(runtime, FEW_PASSES);
	return error;
}

/* What is written between a comparison and the protection would count as what the twin has. */
int cape_track_diff_beside(struct cape_runtime *runtime, struct cape_runs *runs)
{
	if (!runtime->track->threads)
		return cape_track_diff(runtime, false, runs);
	return runtime->track->armed ? diff(runtime, false, runs)
				     : diff_all_from_now(runtime, runs);
}

void cape_track_threads(struct cape_runtime *runtime)
{
	runtime->track->threads = true;
}

static void fold(struct cape_runtime *runtime, bool all)
{
	begin(runtime);
	cape_shared_each_written(runtime, all, fold_range, runtime);
	if (runtime->track->armed)
		judge(runtime);
	else
		arm_after(runtime, 1);
}

void cape_track_fold(struct cape_runtime *runtime)
{
	fold(runtime, true);
}

void cape_track_fold_inside(struct cape_runtime *runtime)
{
	fold(runtime, false);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * protect.c - pages that the program cannot use, and those that it can.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "memory/twin.h"
#include "need/divided.h"
#include "need/parts.h"
#include "system/libc.h"

void cape_need_protect(struct cape_runtime *runtime, struct cape_range pages, bool closed)
{
	long result = syscall(SYS_mprotect, pages.start, pages.end - pages.start,
			      closed ? PROT_NONE : PROT_READ | PROT_WRITE);

	if (result < 0)
		cape_fail(runtime, 0,
			  "cannot protect %llu bytes of memory: %s; if memory is in very many "
			  "pieces, raise vm.max_map_count or run with --exchange eager",
			  (unsigned long long)(pages.end - pages.start), strerror(errno));
	__atomic_fetch_add(&runtime->need->protections, 1, __ATOMIC_RELEASE);
}

void cape_need_fill(struct cape_runtime *runtime, struct cape_range pages, const void *from)
{
	const struct cape_hidden *hidden = &runtime->need->hidden;
	uint64_t length = pages.end - pages.start;
	bool filled = hidden->writes && cape_hidden_write(hidden, pages.start, from, length);

	cape_need_protect(runtime, pages, false);
	/* Where the kernel refuses that, only the thread that faulted may be there to see them. */
	if (!filled)
		memcpy((void *)(uintptr_t)pages.start, from, length);
}

/* The base of PAGES before a thread can change them.  False: they must be open for that. */
static bool watch(struct cape_runtime *runtime, struct cape_area *area, struct cape_range pages)
{
	const struct cape_hidden *hidden = &runtime->need->hidden;

	return hidden->reads && cape_twin_catch_up_hidden(area, pages, hidden);
}

void cape_need_open(struct cape_runtime *runtime, struct cape_area *area, struct cape_range pages)
{
	struct cape_range inside = {pages.start, pages.end < area->end ? pages.end : area->end};
	bool watched = !area->state || watch(runtime, area, inside);

	cape_need_protect(runtime, pages, false);
	cape_directory_open(runtime, area, pages, true);
	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE)
		cape_need_page_used(cape_directory_page(area, at));
	if (!watched)
		cape_twin_catch_up(area, inside);
}

static int open_pages(void *context, struct cape_area *area, struct cape_range pages)
{
	cape_need_open(context, area, pages);
	return 0;
}

static int shut_pages(void *context, struct cape_area *area, struct cape_range pages)
{
	struct cape_runtime *runtime = context;

	cape_need_protect(runtime, pages, true);
	cape_directory_open(runtime, area, pages, false);
	return 0;
}

void cape_need_open_all(struct cape_runtime *runtime)
{
	cape_directory_each(runtime, CAPE_PAGES_HELD, open_pages, runtime);
}

void cape_need_shut_all(struct cape_runtime *runtime)
{
	cape_divided_close(runtime);
	cape_directory_each(runtime, CAPE_PAGES_OPEN, shut_pages, runtime);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * touch.c - memory that the program hands to the kernel, which gives EFAULT where the program's own
 * access would fault: it is made usable before the call.
 *
 * In sequential code all nodes make the same calls, so they meet here, too; whoever lets one node
 * alone carry a call out lets all touch the memory of its arguments.
 */
#include <string.h>
#include "need/need.h"

/* Whatever the program passes by mistake is left to the kernel to refuse. */
static void touch_part(const struct cape_area *area, struct cape_range range)
{
	struct cape_range pages;

	if (range.start < area->start)
		range.start = area->start;
	if (range.end > area->end)
		range.end = area->end;
	while ((pages = cape_directory_next(area, range, CAPE_PAGES_SHUT)).start != UINT64_MAX) {
		*(const volatile char *)(uintptr_t)pages.start;
		range.start = pages.start + CAPE_PAGE;
	}
}

/* Whether there may be anything to do. */
static bool is_any(const struct cape_runtime *runtime)
{
	return runtime && runtime->directory->count && cape_is_member(runtime);
}

void cape_need_touch(const void *address, size_t size)
{
	struct cape_runtime *runtime = cape_runtime;
	uint64_t start = (uintptr_t)address, end = start + size;

	if (!is_any(runtime))
		return;
	if (end < start)
		end = UINT64_MAX;
	for (size_t i = 0; i < runtime->areas->count; i++)
		touch_part(&runtime->areas->area[i], (struct cape_range){start, end});
}

void cape_need_touch_text(const char *text)
{
	struct cape_runtime *runtime = cape_runtime;
	const struct cape_area *area;

	if (!is_any(runtime))
		return;
	area = cape_areas_find(runtime->areas, (uintptr_t)text, 1);
	if (area && area->directory)
		cape_need_touch(text, strlen(text) + 1);
}

void cape_need_touch_texts(char *const *texts)
{
	struct cape_runtime *runtime = cape_runtime;

	if (!is_any(runtime) || !texts)
		return;
	for (; *texts; texts++)
		cape_need_touch_text(*texts);
}

void cape_need_touch_pieces(const struct iovec *piece, int count)
{
	if (!is_any(cape_runtime) || count <= 0)
		return;
	cape_need_touch(piece, (size_t)count * sizeof(*piece));
	for (int i = 0; piece && i < count; i++)
		cape_need_touch(piece[i].iov_base, piece[i].iov_len);
}

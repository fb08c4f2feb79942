// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * served.c - what other nodes fetched of this one while it computes: it holds those pages with them
 * from then on, and has to send them what it changes.
 */
#include <string.h>
#include <sys/syscall.h>
#include "channel/near.h"
#include "need/parts.h"
#include "system/libc.h"

#define AWAIT_SPINS 1000u

/* The monitor that reads the page may have no processor just now. */
static void wait_until_sent(const struct cape_served *served)
{
	for (uint32_t i = 0; !__atomic_load_n(&served->ready, __ATOMIC_ACQUIRE); i++)
		if (i < AWAIT_SPINS)
			__builtin_ia32_pause();
		else
			syscall(SYS_sched_yield);
}

/* Nobody else had the page: its base is what was sent. */
static void begin_to_watch(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
			   const unsigned char *sent)
{
	memcpy(cape_area_twin(area, address, CAPE_PAGE), sent, CAPE_PAGE);
	cape_need_learn_first(runtime, cape_directory_page(area, address));
}

/*
 * Bytes that were changed when the page was sent, and that were put back since, or may be before
 * this node announces them.  TAKING: what others released was put on the page after what was sent,
 * and reaches the reader.
 */
static void note_changed(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
			 const unsigned char *sent, bool taking)
{
	const unsigned char *memory = (const unsigned char *)(uintptr_t)address;
	unsigned char *twin = cape_area_twin(area, address, CAPE_PAGE);

	if (memcmp(sent, twin, CAPE_PAGE) == 0)
		return;
	for (size_t i = 0; i < CAPE_PAGE; i++)
		if (sent[i] != twin[i] && (memory[i] != twin[i] || !taking))
			cape_need_list_add(&runtime->need->unannounced,
					   (struct cape_range){address + i, address + i + 1});
}

/* What is as it was is no change against the base, but one to the reader: the base must differ. */
static void make_differ(struct cape_runtime *runtime, struct cape_range range)
{
	uint64_t length = range.end - range.start;
	struct cape_area *area = cape_areas_find(runtime->areas, range.start, length);
	const unsigned char *memory = (const unsigned char *)(uintptr_t)range.start;
	unsigned char *twin = area ? cape_area_twin(area, range.start, length) : NULL;

	for (uint64_t at = 0; twin && at < length; at++)
		if (memory[at] == twin[at])
			twin[at] = (unsigned char)~memory[at];
}

/* What is not in READABLE is not announced now, and stays in the list. */
static void look_at_unannounced(struct cape_runtime *runtime, const struct cape_ranges *readable)
{
	struct cape_need_list *unannounced = &runtime->need->unannounced;
	struct cape_need_list *later = &runtime->need->announced_later, all = *unannounced;

	later->count = 0;
	for (size_t i = 0; i < all.count; i++) {
		struct cape_range left = all.range[i], part = left;

		for (; left.start < left.end; left.start = part.end) {
			bool is_now = true;

			part = left;
			if (readable)
				is_now = cape_ranges_cut(readable, &part);
			if (is_now)
				make_differ(runtime, part);
			else
				cape_need_list_add(later, part);
		}
	}
	*unannounced = *later;
	*later = all;
}

static void look_at(struct cape_runtime *runtime, const struct cape_served *served,
		    const unsigned char *sent, bool taking)
{
	struct cape_area *area = cape_areas_find(runtime->areas, served->address, 1);
	struct cape_directory_page *page = area ? cape_directory_page(area, served->address) : NULL;

	if (!page || !cape_directory_holds(runtime, page) || served->reader >= runtime->nodes)
		cape_fail(runtime, 0, "node %u fetched %#llx, which is not node %u's",
			  served->reader, (unsigned long long)served->address, runtime->node);
	cape_need_page_travels(page);
	cape_need_learn(runtime, page, served->address, served->reader);
	if (page->agreed.holders == runtime->directory->self)
		begin_to_watch(runtime, area, served->address, sent);
	else
		note_changed(runtime, area, served->address, sent, taking);
	cape_directory_add(runtime, area, served->address, cape_node_set_of(served->reader),
			   CAPE_EVENT_SERVE);
}

static void look(struct cape_runtime *runtime, bool taking)
{
	const struct cape_served *table = cape_channel_served(runtime->channel);
	struct cape_need *need = runtime->need;
	uint32_t count;

	/* What is sent after the count was read has what this node wrote before. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	count = __atomic_load_n(&runtime->channel->fetch.served, __ATOMIC_SEQ_CST);
	for (; need->served < count; need->served++) {
		wait_until_sent(&table[need->served]);
		look_at(runtime, &table[need->served],
			cape_channel_served_page(runtime->channel, need->served), taking);
	}
}

/* The same for what others read without the monitors. */
static void look_near(struct cape_runtime *runtime, bool taking)
{
	struct cape_near *near = cape_near_of(runtime->channel, runtime->node);
	const struct cape_served *table = cape_near_table(near);
	struct cape_need *need = runtime->need;
	uint32_t count;

	if (!cape_near_is_open(runtime->channel))
		return;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	count = __atomic_load_n(&near->served, __ATOMIC_SEQ_CST);
	if (count > CAPE_NEAR_PAGES)
		cape_fail(runtime, 0, "the table of pages that others read here is malformed");
	for (; need->served_near < count; need->served_near++) {
		const struct cape_served *served = &table[need->served_near];

		cape_near_await(near, served);
		if (served->reader != CAPE_NEAR_NOBODY)
			look_at(runtime, served, cape_near_page(near, need->served_near), taking);
	}
}

void cape_need_look_at_served(struct cape_runtime *runtime)
{
	look(runtime, false);
	look_near(runtime, false);
}

void cape_need_look_before_telling(struct cape_runtime *runtime, const struct cape_ranges *readable)
{
	cape_need_look_at_served(runtime);
	look_at_unannounced(runtime, readable);
}

void cape_need_look_after_taking(struct cape_runtime *runtime)
{
	look(runtime, true);
	look_near(runtime, true);
}

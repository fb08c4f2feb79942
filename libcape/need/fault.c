// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fault.c - the first access to a page that is not here, or that sequential code must not use
 * alone: SIGSEGV, which the run time handles, and hands on where it is the program's own matter.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include "channel/fetch.h"
#include "need/parts.h"
#include "system/libc.h"

#define STACK_SIZE  (1ul << 18)
#define WINDOW_MOST 256u /* pages of a fetch */

int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

/* How many pages from ADDRESS on are not here and with the same owner, up to MOST. */
static uint32_t pages_alike(const struct cape_runtime *runtime, const struct cape_area *area,
			    uint64_t address, uint64_t most)
{
	const struct cape_directory_page *page = cape_directory_page(area, address);
	uint32_t count = 1;

	while (count < most && address + count * CAPE_PAGE < area->end && page[count].holders &&
	       !(page[count].holders & runtime->directory->self) &&
	       page[count].owner == page->owner)
		count++;
	return count;
}

/* They are what their owner has at this moment. */
static void take_pages(struct cape_runtime *runtime, struct cape_area *area,
		       struct cape_range pages)
{
	const unsigned char *from = cape_channel_fetched(runtime->channel);
	uint64_t length = pages.end - pages.start;

	cape_need_protect(runtime, pages, false);
	memcpy((void *)(uintptr_t)pages.start, from, length);
	memcpy(cape_area_twin(area, pages.start, length), from, length);
	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE) {
		const struct cape_directory_page *page = cape_directory_page(area, at);

		cape_directory_set(runtime, area, at, page->holders | runtime->directory->self,
				   page->owner);
	}
	cape_need_list_add(&runtime->need->fetched, pages);
	cape_need_put_entries(runtime, pages);
}

/* Fetches the page of ADDRESS, and up to MOST behind it.  Returns where they end. */
static uint64_t fetch(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
		      uint64_t most)
{
	struct cape_channel_fetch *request = &runtime->channel->fetch;
	struct cape_range pages = {.start = cape_page_floor(address)};

	request->owner = cape_directory_page(area, address)->owner;
	request->address = pages.start;
	request->pages = pages_alike(runtime, area, pages.start, most);
	pages.end = pages.start + request->pages * CAPE_PAGE;
	cape_channel_request(runtime->channel, CAPE_REQUEST_FETCH);
	take_pages(runtime, area, pages);
	return pages.end;
}

static void fetch_on_fault(struct cape_runtime *runtime, struct cape_area *area, uint64_t address)
{
	struct cape_need *need = runtime->need;
	bool goes_on = need->expected == cape_page_floor(address);

	/* Twice as much every other time: 1, 1, 2, 2, 4 ... pages. */
	if (!goes_on)
		need->window = 1;
	else if (need->again && need->window < WINDOW_MOST)
		need->window *= 2;
	need->again = goes_on && !need->again;
	if (runtime->channel->flags & CAPE_CHANNEL_STRESS)
		need->window = 1;
	need->expected = fetch(runtime, area, address, need->window);
}

void cape_need_fetch_all(struct cape_runtime *runtime)
{
	for (size_t i = 0; i < runtime->areas->count; i++) {
		struct cape_area *area = &runtime->areas->area[i];
		struct cape_range pages, left = {area->start, area->end};

		while ((pages = cape_directory_next(area, left, CAPE_PAGES_ABSENT)).start !=
		       UINT64_MAX)
			left.start = fetch(runtime, area, pages.start, WINDOW_MOST);
	}
}

/* Whether the fault at ADDRESS was the run time's matter, which is done with then. */
static bool handle(struct cape_runtime *runtime, uint64_t address)
{
	struct cape_area *area;
	const struct cape_directory_page *page;

	if (!runtime || !runtime->directory->on)
		return false;
	area = cape_areas_find(runtime->areas, address, 1);
	page = area ? cape_directory_page(area, address) : NULL;
	if (!page || !page->holders)
		return false;
	if (!cape_is_initial_thread(runtime))
		cape_fail(runtime, address,
			  "a thread that the program made itself reached @, which another node "
			  "has; run with --exchange eager");
	if (runtime->need->closed)
		cape_need_share(runtime, area, address);
	else if (!(page->holders & runtime->directory->self))
		fetch_on_fault(runtime, area, address);
	else
		return false;
	return true;
}

/* As if the run time had no handler. */
static void hand_on(const struct sigaction *next, int number, siginfo_t *information, void *context)
{
	struct sigaction by_default = {.sa_handler = SIG_DFL};

	if (next->sa_flags & SA_SIGINFO) {
		next->sa_sigaction(number, information, context);
	} else if (next->sa_handler != SIG_DFL && next->sa_handler != SIG_IGN) {
		next->sa_handler(number);
	} else if (next->sa_handler == SIG_DFL || information->si_code > 0) {
		/* The access is made again; what somebody sent is sent again. */
		__sigaction(number, &by_default, NULL);
		if (information->si_code <= 0)
			syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
	}
}

static void on_fault(int number, siginfo_t *information, void *context)
{
	struct cape_runtime *runtime = cape_runtime;
	int saved = errno;

	if (information->si_code <= 0 ||
	    !handle(runtime, (uint64_t)(uintptr_t)information->si_addr))
		hand_on(&runtime->need->next, number, information, context);
	errno = saved;
}

/* On a stack of its own: what is below the program's stack stays alike on all nodes. */
void cape_need_catch_faults(struct cape_runtime *runtime)
{
	struct sigaction action = {.sa_sigaction = on_fault,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
	stack_t stack = {.ss_sp = cape_must_reserve(runtime, STACK_SIZE), .ss_size = STACK_SIZE};
	stack_t before;

	if (syscall(SYS_sigaltstack, NULL, &before) == 0 && (before.ss_flags & SS_DISABLE))
		syscall(SYS_sigaltstack, &stack, NULL);
	__sigaction(SIGSEGV, &action, &runtime->need->next);
}

bool cape_need_take_action(struct cape_runtime *runtime, const struct sigaction *action,
			   struct sigaction *old)
{
	if (!runtime->directory->on)
		return false;
	if (old)
		*old = runtime->need->next;
	if (action)
		runtime->need->next = *action;
	return true;
}

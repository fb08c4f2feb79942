// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * transitions.c - the table: which event leads from which state of a page to which others, and the
 * function of need/ that makes it do so.  What is not in it is a fault of CAPE's, which --verify
 * would find late, as memory that differs.
 */
#include "memory/transitions.h"

#include <string.h>
#include "base/context.h"

static const char *const name_of_state[CAPE_PAGE_STATES] = {
	[CAPE_PAGE_COMMON] = "common",
	[CAPE_PAGE_STALE] = "stale",
	[CAPE_PAGE_HELD] = "held",
	[CAPE_PAGE_HELD_SHUT] = "held and shut",
	[CAPE_PAGE_OWNED] = "owned",
	[CAPE_PAGE_OWNED_SHUT] = "owned and shut",
	[CAPE_PAGE_ALONE] = "held here alone",
	[CAPE_PAGE_ALONE_SHUT] = "held here alone and shut",
};

static const char *const name_of_event[CAPE_EVENTS] = {
	[CAPE_EVENT_OPEN] = "open",	  [CAPE_EVENT_SHUT] = "shut",
	[CAPE_EVENT_FETCH] = "fetch",	  [CAPE_EVENT_SERVE] = "serve",
	[CAPE_EVENT_SHARE] = "share",	  [CAPE_EVENT_EXPECT] = "expect",
	[CAPE_EVENT_PUBLISH] = "publish", [CAPE_EVENT_NOTICE] = "notice",
	[CAPE_EVENT_PUSH] = "push",	  [CAPE_EVENT_CLAIM] = "claim",
	[CAPE_EVENT_JOIN] = "join",	  [CAPE_EVENT_PLAN] = "plan",
	[CAPE_EVENT_RESTORE] = "restore",
};

/* Bits of states; _S: shut. */
enum {
	COMMON = 1 << CAPE_PAGE_COMMON,
	STALE = 1 << CAPE_PAGE_STALE,
	HELD = 1 << CAPE_PAGE_HELD,
	HELD_S = 1 << CAPE_PAGE_HELD_SHUT,
	OWNED = 1 << CAPE_PAGE_OWNED,
	OWNED_S = 1 << CAPE_PAGE_OWNED_SHUT,
	ALONE = 1 << CAPE_PAGE_ALONE,
	ALONE_S = 1 << CAPE_PAGE_ALONE_SHUT,
	ANY = STALE | HELD | HELD_S | OWNED | OWNED_S | ALONE | ALONE_S,
};

/* EVENT leads from each state of BEFORE to one of AFTER, by a function of a file of need/. */
static const struct {
	uint8_t event, before, after;
	const char *function;
} transition[] = {
	{CAPE_EVENT_OPEN, HELD | HELD_S, HELD, "protect: cape_need_open"},
	{CAPE_EVENT_OPEN, OWNED | OWNED_S, OWNED, "protect: cape_need_open"},
	{CAPE_EVENT_OPEN, ALONE | ALONE_S, ALONE, "protect: cape_need_open"},
	{CAPE_EVENT_SHUT, HELD | HELD_S, HELD_S, "protect: shut_pages; apply: shut_coming"},
	{CAPE_EVENT_SHUT, OWNED, OWNED_S, "protect: shut_pages"},
	{CAPE_EVENT_SHUT, ALONE, ALONE_S, "protect: shut_pages"},
	{CAPE_EVENT_FETCH, STALE, HELD, "fetch: take_pages"},
	{CAPE_EVENT_SERVE, OWNED | ALONE, OWNED, "served: look_at"},
	{CAPE_EVENT_SERVE, OWNED_S | ALONE_S, OWNED_S, "served: look_at"},
	{CAPE_EVENT_SHARE, ANY, COMMON, "share: share"},

	{CAPE_EVENT_EXPECT, STALE, HELD, "apply: expect_page"},
	{CAPE_EVENT_PUBLISH, ANY, COMMON, "resolve: make_common"},
	{CAPE_EVENT_NOTICE, OWNED | ALONE, OWNED, "apply: add_holder"},
	{CAPE_EVENT_NOTICE, OWNED_S | ALONE_S, OWNED_S, "apply: add_holder"},
	{CAPE_EVENT_NOTICE, HELD, HELD, "apply: add_holder"},
	{CAPE_EVENT_NOTICE, HELD_S, HELD_S, "apply: add_holder"},
	{CAPE_EVENT_NOTICE, STALE, STALE, "apply: add_holder"},
	{CAPE_EVENT_PUSH, OWNED | ALONE, OWNED, "apply: add_pushed"},
	{CAPE_EVENT_PUSH, OWNED_S | ALONE_S, OWNED_S, "apply: add_pushed"},
	{CAPE_EVENT_PUSH, HELD, HELD, "apply: add_pushed"},
	{CAPE_EVENT_PUSH, HELD_S, HELD_S, "apply: add_pushed"},
	{CAPE_EVENT_PUSH, STALE, STALE, "apply: add_pushed"},
	/* This node holds it alone, or pushes it to others. */
	{CAPE_EVENT_CLAIM, COMMON | HELD | OWNED, ALONE, "apply: leave_to"},
	{CAPE_EVENT_CLAIM, HELD_S | OWNED_S, ALONE_S, "apply: leave_to"},
	{CAPE_EVENT_CLAIM, HELD, OWNED, "apply: leave_to"},
	{CAPE_EVENT_CLAIM, HELD_S, OWNED_S, "apply: leave_to"},
	/* Another node does, and does not push it to this one, or does. */
	{CAPE_EVENT_CLAIM, COMMON | STALE | HELD | HELD_S, STALE, "apply: leave_to"},
	{CAPE_EVENT_CLAIM, OWNED | OWNED_S, STALE, "apply: leave_to"},
	{CAPE_EVENT_CLAIM, HELD | OWNED, HELD, "apply: leave_to"},
	{CAPE_EVENT_CLAIM, HELD_S | OWNED_S, HELD_S, "apply: leave_to"},
	{CAPE_EVENT_JOIN, COMMON, STALE | HELD | OWNED, "apply: leave_to_writers"},

	{CAPE_EVENT_PLAN, COMMON | ANY, STALE | ALONE | ALONE_S, "divided: leave_to"},

	{CAPE_EVENT_RESTORE, COMMON, STALE | ALONE, "saved: leave_to_owner"},
};

void cape_transitions_start(struct cape_transitions *transitions, const char *refused)
{
	*transitions = (struct cape_transitions){.checked = refused != NULL};
	for (unsigned event = 0; refused && event < CAPE_EVENTS; event++)
		if (strcmp(refused, name_of_event[event]) == 0)
			transitions->refused |= 1u << event;
}

static bool is_listed(enum cape_page_state before, enum cape_page_event event,
		      enum cape_page_state after)
{
	for (size_t i = 0; i < sizeof(transition) / sizeof(transition[0]); i++)
		if (transition[i].event == event && transition[i].before >> before & 1 &&
		    transition[i].after >> after & 1)
			return true;
	return false;
}

void cape_transitions_check(struct cape_runtime *runtime,
			    const struct cape_transitions *transitions, uint64_t address,
			    enum cape_page_state before, enum cape_page_event event,
			    enum cape_page_state after)
{
	if (transitions->refused >> event & 1 || !is_listed(before, event, after))
		cape_fail(runtime, address, "%s makes the page of @ %s, which was %s",
			  name_of_event[event], name_of_state[after], name_of_state[before]);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_alone.c - one program computes on while all others wait: does it wait for them, too?
 *
 * A loop that looks at an object which is not volatile, without a flush, never sees what another
 * node wrote there.  Nobody can prove that it never ends, so this is said once, and the run goes
 * on.
 */
#include <stdio.h>
#include "common/clock.h"
#include "service_state.h"
#include "spin.h"

#define ALONE_NS 10000000000ull

void alone_ask(struct node *node, uint32_t which)
{
	const struct whereabouts *at = &node->service->search.now[which];
	struct alone *alone = &node->service->alone;

	if (!alone->since || alone->node != which || alone->requests != at->requests) {
		alone->node = which;
		alone->requests = at->requests;
		alone->since = clock_now();
	} else if (clock_now() - alone->since < ALONE_NS) {
		return;
	} else if (which == 0) {
		alone_look(node);
	} else {
		link_put(&node->service->link[which], LINK_ALONE, NULL, 0);
	}
}

void alone_look(struct node *node)
{
	const struct cape_channel_state *state = &node->channel->state;
	struct alone *alone = &node->service->alone;

	if (alone->reported || node->trace || node->program_ended || node->exchanging ||
	    node_meets(node) || node->service->asked || !spin_is(node->program))
		return;
	alone->reported = true;
	fprintf(stderr,
		"cape-run: node %d, at or after %.230s:%d, has only read memory that does not "
		"change while all other nodes waited for 10 seconds; a loop that waits for another "
		"node needs a flush, or must read a volatile object itself\n",
		node->rank, state->file, state->line);
}

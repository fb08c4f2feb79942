/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patience.c - polling, yielding, sleeping: the longer nothing comes, the more rarely it looks.
 */
#include "patience.h"

#include <errno.h>
#include "stream/input.h"
#include "life.h"
#include "stream/output.h"
#include "service/service.h"

#define POLL_PASSES  2000  /* about a millisecond of polling and yielding */
#define LOOK_EVERY   64	   /* passes between looks at the rest of the world */
#define SERVE_EVERY  8	   /* passes between looks at other monitors' requests */
#define SHORTEST_NAP 50000 /* nanoseconds */
#define LONGEST_NAP  5000000

int patience_idle(void *context, struct patience *patience)
{
	return patience_pass(context, patience);
}

int patience_pass(struct node *node, struct patience *patience)
{
	long nap = SHORTEST_NAP;

	patience->passes++;
	/* Open MPI yields by itself while it polls (mpi_yield_when_idle). */
	if (patience->passes >= POLL_PASSES) {
		for (unsigned i = POLL_PASSES; i < patience->passes && nap < LONGEST_NAP; i += 20)
			nap += nap / 4;
		service_nap(node, nap < LONGEST_NAP ? nap : LONGEST_NAP);
	} else if (patience->passes % SERVE_EVERY == 0) {
		service_serve(node);
	}
	if (patience->passes % LOOK_EVERY == 0 || patience->passes > 2 * POLL_PASSES) {
		/* Another monitor may wait for this one to take what it sends. */
		output_look(node);
		input_look(node);
		life_look(node);
		service_look(node);
		life_look_who_left(node);
	}
	return node->failed ? -ECANCELED : 0;
}

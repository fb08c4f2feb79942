// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mesh.c - all monitors invite, and each calls those of lower rank.
 *
 * Who calls waits for an answer, so another thread answers those who call meanwhile; it lives until
 * all have called.
 */
#include "mesh.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/exchanges.h"
#include "common/limits.h"
#include "wire/collective.h"

#define LOOK_MS 5 /* for the end */

struct hearing {
	struct inviter inviter;
	struct peer *peer; /* by rank; those above this node's are the thread's */
	uint32_t rank, size;
	bool over; /* nobody calls any more */
};

static bool all_called(const struct hearing *hearing)
{
	uint32_t i = hearing->rank + 1;

	while (i < hearing->size && hearing->peer[i].socket >= 0)
		i++;
	return i == hearing->size;
}

static void *hear(void *context)
{
	struct hearing *hearing = context;

	while (!all_called(hearing) && !__atomic_load_n(&hearing->over, __ATOMIC_ACQUIRE))
		inviter_hear(&hearing->inviter, hearing->peer, LOOK_MS);
	return NULL;
}

static void call(struct node *node, const struct invitation *invitation, int which,
		 struct peer *peer)
{
	int error;
	char place[1024];

	peer->socket = invitation_accept(invitation, (uint32_t)node->rank, &error);
	memcpy(peer->host, invitation->host, INVITATION_HOST - 1);
	if (peer->socket >= 0)
		return;
	invitation_explain(invitation, error, place, sizeof(place));
	node_fail(node, 1,
		  "node %d cannot connect to node %d: %s between the nodes, or do without "
		  "--exchange %s",
		  node->rank, which, place, exchange_name(node->options.exchange));
}

/* All lower ranks are called, and all have called when it returns.  0 or -errno. */
static int call_all(struct node *node, struct peer *peer, const struct invitation *invitation)
{
	struct wire_request all;

	for (int i = 0; i < node->rank && !node->failed; i++)
		call(node, &invitation[i], i, &peer[i]);
	if (node->failed)
		return -ECANCELED;
	wire_barrier(node->wire, &all);
	return wire_wait(node->wire, &all, 1);
}

int mesh_connect(struct node *node, struct peer *peer)
{
	struct invitation *invitation = calloc((size_t)node->size, sizeof(*invitation));
	struct hearing hearing = {
		.peer = peer, .rank = (uint32_t)node->rank, .size = (uint32_t)node->size};
	pthread_t thread;
	char why[1024];
	int error;

	if (!invitation)
		return -ENOMEM;
	for (int i = 0; i < node->size; i++)
		peer[i] = (struct peer){.socket = -1};
	inviter_open(&hearing.inviter, hearing.size - 1, (uint32_t)node->options.lost_after,
		     node->options.here);
	error = collective_gather_to_all(node->wire, &hearing.inviter.invitation,
					 sizeof(*invitation), invitation);
	if (error)
		goto close;
	error = pthread_create(&thread, NULL, hear, &hearing);
	if (error) {
		node_fail(node, 1, "node %d: cannot start a thread: %s", node->rank,
			  limits_why(error, why, sizeof(why)));
		error = -ECANCELED;
		goto close;
	}
	error = call_all(node, peer, invitation);
	__atomic_store_n(&hearing.over, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
close:
	inviter_close(&hearing.inviter);
	free(invitation);
	return error;
}

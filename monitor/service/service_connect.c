// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_connect.c - node 0 invites over the wire, and the other monitors call.
 */
#include "service_connect.h"

#include <stdio.h>
#include <string.h>
#include "wire/collective.h"

/* Until every other monitor has either called or given up, or the run has failed. */
static void receive(struct node *node, struct inviter *inviter, struct peer *peer)
{
	struct wire_request all;

	wire_barrier(node->wire, &all);
	while (!wire_test(node->wire, &all) && !node->failed) {
		inviter_hear(inviter, peer, 1);
		loop_pass(&node->loop);
	}
}

static int call(const struct node *node, const struct invitation *invitation, char *why,
		size_t size)
{
	int error, connection = invitation_accept(invitation, (uint32_t)node->rank, &error);
	char place[1024];

	if (connection >= 0)
		return connection;
	invitation_explain(invitation, error, place, sizeof(place));
	snprintf(why, size, "node %d cannot connect to node 0: %s between the nodes", node->rank,
		 place);
	return -1;
}

/* Calls, and waits until all have. */
static void accept_invitation(struct node *node, const struct invitation *invitation,
			      struct peer *inviter, char *why, size_t why_size)
{
	struct wire_request all;

	inviter->socket = call(node, invitation, why, why_size);
	memcpy(inviter->host, invitation->host, INVITATION_HOST - 1);
	wire_barrier(node->wire, &all);
	wire_wait(node->wire, &all, 1);
}

void service_connect(struct node *node, struct peer *peer, char *why, size_t why_size)
{
	int count = node->rank == 0 ? node->size : 1;
	struct inviter inviter;
	int error;

	why[0] = '\0';
	for (int i = 0; i < count; i++)
		peer[i] = (struct peer){.socket = -1};
	if (node->rank == 0)
		inviter_open(&inviter, (uint32_t)node->size - 1, (uint32_t)node->options.lost_after,
			     node->options.here);
	error = collective_broadcast(node->wire, &inviter.invitation, sizeof(inviter.invitation),
				     NULL);
	if (!error && node->rank == 0)
		receive(node, &inviter, peer);
	else if (!error)
		accept_invitation(node, &inviter.invitation, peer, why, why_size);
	if (node->rank == 0)
		inviter_close(&inviter);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_connect.c - node 0 invites over MPI, and the other monitors call.
 */
#include "service_connect.h"

#include <stdio.h>
#include <string.h>
#include "node/patience.h"

/* Until every other monitor has either called or given up. */
static void receive(const struct node *node, struct host *host, struct guest *peer)
{
	MPI_Request request;
	int done = 0;

	MPI_Ibarrier(node->control, &request);
	while (!done) {
		host_hear(host, peer, 1);
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
	}
	host_close(host);
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

void service_connect(struct node *node, struct guest *peer, char *why, size_t why_size)
{
	int count = node->rank == 0 ? node->size : 1;
	struct host host;

	why[0] = '\0';
	for (int i = 0; i < count; i++)
		peer[i] = (struct guest){.socket = -1};
	if (node->rank == 0)
		host_open(&host, (uint32_t)node->size - 1, (uint32_t)node->options.lost_after);
	MPI_Bcast(&host.invitation, sizeof(host.invitation), MPI_BYTE, 0, node->control);
	if (node->rank == 0) {
		receive(node, &host, peer);
	} else {
		MPI_Request request;

		peer[0].socket = call(node, &host.invitation, why, why_size);
		memcpy(peer[0].host, host.invitation.host, INVITATION_HOST - 1);
		MPI_Ibarrier(node->control, &request);
		patience_wait_all(node, &request, 1, MPI_STATUSES_IGNORE);
	}
}

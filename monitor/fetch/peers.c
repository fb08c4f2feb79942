// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * peers.c - makes the connections between programs, and reports one that broke.
 */
#include "peers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <string.h>
#include "channel/peers.h"
#include "mesh.h"
#include "service/service_lost.h"
#include "wire/wire.h"

#define MOMENT_US 20000 /* a program waits before it shows that it does */

struct peers {
	struct watcher watcher;
	struct lost lost[CAPE_PEERS_NODES]; /* by node */
};

void peers_prepare(struct node *node)
{
	for (unsigned i = 0; i < CAPE_PEERS_NODES; i++)
		node->peer_file[i] = -1;
}

void peers_give(struct node *node)
{
	for (unsigned i = 0; i < CAPE_PEERS_NODES; i++)
		if (node->peer_file[i] >= 0)
			close(node->peer_file[i]);
	peers_prepare(node);
}

/* Waits in it are short.  0 or -errno. */
static int set_to_block(int socket)
{
	struct timeval moment = {.tv_usec = MOMENT_US};

	if (fcntl(socket, F_SETFL, 0) < 0 ||
	    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof(moment)) < 0)
		return -errno;
	return 0;
}

/* SOCKET leads to node OTHER.  0 or -errno. */
static int join(struct node *node, int other, int socket)
{
	int joined = wire_join(node->wire, socket, other, WIRE_BESIDE_PEERS);

	if (joined < 0)
		return joined;
	node->peer_file[other] = joined;
	return set_to_block(joined);
}

/* Now and then. */
static bool look(void *context)
{
	struct node *node = context;
	const struct cape_channel_peers *of = &node->channel->peers;
	uint32_t broken = __atomic_load_n(&of->broken, __ATOMIC_ACQUIRE);

	if (!broken || broken > (uint32_t)node->size || node->program_ended)
		return false;
	lost_note(&node->peers->lost[broken - 1], -(int)of->error);
	lost_look(node, &node->peers->lost[broken - 1], (int)broken - 1);
	return false;
}

static int connect_all(struct node *node)
{
	struct peer peer[CAPE_PEERS_NODES];
	int error = mesh_connect(node, peer);

	for (int i = 0; i < node->size && !error; i++) {
		if (peer[i].socket < 0)
			continue;
		memcpy(node->peers->lost[i].host, peer[i].host, sizeof(peer[i].host));
		error = join(node, i, peer[i].socket);
	}
	return error == -ECANCELED ? 0 : error;
}

int peers_start(struct node *node)
{
	int error;

	if (!node->fetch || node->channel->board.open || node->size == 1 ||
	    node->size > (int)CAPE_PEERS_NODES)
		return 0;
	node->peers = calloc(1, sizeof(*node->peers));
	if (!node->peers)
		return -ENOMEM;
	error = connect_all(node);
	node->channel->peers.packs = node->wire->packs;
	node->channel->peers.open = 1;
	node->peers->watcher = (struct watcher){.look = look, .context = node};
	loop_add(&node->loop, &node->peers->watcher);
	return error;
}

void peers_stop(struct node *node)
{
	peers_give(node);
	free(node->peers);
	node->peers = NULL;
}

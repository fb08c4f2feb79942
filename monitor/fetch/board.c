// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * board.c - node 0 makes the board if it reaches all others by Unix sockets, and hands it round.
 */
#include "board.h"

#include <sys/mman.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <unistd.h>
#include "channel/near.h"
#include "common/parcel.h"
#include "service/service.h"
#include "wire/collective.h"
#include "wire/wire.h"

static bool is_here(int socket)
{
	socklen_t size = sizeof(int);
	int domain = 0;

	return getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

/* The memory; -1: there is none, and none is needed. */
static int make(const struct node *node, const struct peer *peer)
{
	int file;

	if (node->size > (int)CAPE_BOARD_NODES || node->wire->apart)
		return -1;
	for (int i = 1; i < node->size; i++)
		if (!is_here(peer[i].socket))
			return -1;
	file = memfd_create("cape-board", MFD_CLOEXEC);
	if (file >= 0 && ftruncate(file, (off_t)CAPE_NEAR_FILE_SIZE) < 0) {
		close(file);
		file = -1;
	}
	return file;
}

int board_share(struct node *node, const struct peer *peer)
{
	int file = node->rank == 0 && node->size > 1 ? make(node, peer) : -1;
	uint32_t there = file >= 0;
	int error = collective_broadcast(node->wire, &there, sizeof(there), NULL);

	for (int i = 1; i < node->size && node->rank == 0 && there && !error; i++)
		error = parcel_send(peer[i].socket, file);
	if (node->rank > 0 && there && !error) {
		file = parcel_take(peer[0].socket);
		error = file < 0 ? file : 0;
	}
	if (error || !there)
		return error;
	node->board_file = file;
	node->channel->board.log_limit = MIN(service_log_limit(), CAPE_BOARD_RING_SIZE / 2);
	node->channel->board.open = 1;
	node->channel->board.spin =
		(long)node->size * node_threads(node) <= sysconf(_SC_NPROCESSORS_ONLN);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring.c - which node runs on which machine, and where its copies go.
 */
#include "ring.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "wire/collective.h"

struct host {
	char name[HOST_NAME_MAX + 1];
};

static void number_machines(struct ring *ring, const struct host *host, int nodes)
{
	for (int i = 0; i < nodes; i++) {
		int machine = 0;

		while (machine < ring->machines &&
		       strcmp(host[ring->leader[machine]].name, host[i].name) != 0)
			machine++;
		if (machine == ring->machines)
			ring->leader[ring->machines++] = i;
		ring->of[i] = machine;
	}
}

/* How many nodes of MACHINE are below NODE. */
static int place_on(const struct ring *ring, int machine, int node)
{
	int place = 0;

	for (int i = 0; i < node; i++)
		place += ring->of[i] == machine;
	return place;
}

static int nth_on(const struct ring *ring, int machine, int place)
{
	int node = ring->leader[machine];

	for (; place > 0; place -= ring->of[node] == machine)
		node++;
	return node;
}

/* A machine's copies are shared out among the nodes of the next. */
static void find_partners(struct ring *ring, int nodes)
{
	for (int i = 0; i < nodes; i++) {
		int next = (ring->of[i] + 1) % ring->machines;
		int others = place_on(ring, next, nodes);

		ring->to[i] = ring->machines > 1 && others > 0
				      ? nth_on(ring, next, place_on(ring, ring->of[i], i) % others)
				      : -1;
	}
}

int ring_find(struct node *node, struct ring *ring)
{
	size_t nodes = (size_t)node->size;
	struct host own = {""}, *host = calloc(nodes, sizeof(*host));
	int error = -ENOMEM;

	*ring = (struct ring){.leader = calloc(nodes, sizeof(int)),
			      .of = calloc(nodes, sizeof(int)),
			      .to = calloc(nodes, sizeof(int))};
	if (host && ring->leader && ring->of && ring->to) {
		gethostname(own.name, sizeof(own.name) - 1);
		error = collective_gather_to_all(node->wire, &own, sizeof(own), host);
	}
	if (!error) {
		number_machines(ring, host, node->size);
		find_partners(ring, node->size);
	}
	free(host);
	return error;
}

void ring_free(struct ring *ring)
{
	free(ring->leader);
	free(ring->of);
	free(ring->to);
	*ring = (struct ring){0};
}

int ring_leader(const struct ring *ring, int node)
{
	return ring->leader[ring->of[node]];
}

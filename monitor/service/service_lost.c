// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_lost.c - reports to the user of a connection that broke, if nobody else has a better
 * reason.
 */
#include "service_lost.h"

#include <errno.h>
#include <string.h>
#include "common/clock.h"

/* A monitor that fails says why over MPI; what it says arrives meanwhile. */
#define LOST_NS 3000000000ull

void lost_note(struct lost *lost, int error)
{
	if (lost->when)
		return;
	lost->when = clock_now();
	lost->error = error;
}

static bool is_silence(int error)
{
	return error == -ETIMEDOUT || error == -EHOSTUNREACH || error == -ENETUNREACH ||
	       error == -ENETDOWN;
}

bool lost_is_silent(const struct lost *lost)
{
	return lost->when && is_silence(lost->error);
}

void lost_tell(struct node *node, const struct lost *lost, int which)
{
	node_fail_by(node, FAULT_DIED, NULL, 1,
		     "the connection between the monitors of nodes %d and %d on %s broke: %s",
		     node->rank, which, lost->host, strerror(-lost->error));
}

/* It was closed here, for what came. */
static bool is_nonsense(int error)
{
	return error == -EPROTO || error == -EMSGSIZE;
}

void lost_look(struct node *node, const struct lost *lost, int which)
{
	if (lost->when && is_nonsense(lost->error))
		node_fail_by(node, FAULT_DIED, NULL, 1,
			     "node %d on %s has sent node %d what is no message: %s", which,
			     lost->host, node->rank, strerror(-lost->error));
	else if (lost_is_silent(lost))
		node_fail_by(
			node, FAULT_LOST, lost->host, 1,
			"node %d on %s does not answer any more: its machine or the network to it "
			"has failed (%s; --lost-after %d)",
			which, lost->host, strerror(-lost->error), node->options.lost_after);
	else if (lost->when && clock_now() - lost->when > LOST_NS)
		lost_tell(node, lost, which);
}

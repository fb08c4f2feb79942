/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_lost.h - connections to other monitors that broke.
 */
#ifndef CAPE_SERVICE_LOST_H
#define CAPE_SERVICE_LOST_H

#include "base/node.h"
#include "common/invitation.h"

/* All zero but the host: it is there. */
struct lost {
	uint64_t when; /* nanoseconds */
	int error;
	char host[INVITATION_HOST]; /* of the other side */
};

/* It broke with ERROR (-errno); a second time says nothing new. */
void lost_note(struct lost *lost, int error);

/* Whether the machine is gone, or the way to it: nobody else knows better. */
bool lost_is_silent(const struct lost *lost);

/* Ends the run, for the connection to WHICH broke. */
void lost_tell(struct node *node, const struct lost *lost, int which);

/*
 * Now and then, of the connection to WHICH: ends the run if it broke and whoever knows better why
 * has had the time to say so.
 */
void lost_look(struct node *node, const struct lost *lost, int which);

#endif

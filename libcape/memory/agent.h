/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * agent.h - what a monitor that traces the program makes it do, and how the program asks for it.
 */
#ifndef CAPE_AGENT_H
#define CAPE_AGENT_H

#include "channel/channel.h"

/*
 * Informs the monitor where the agent is, and lets it see the system calls that this thread makes
 * while memory is locked.  0, or -errno: this kernel cannot (it is older than Linux 5.11).
 */
int cape_agent_start(struct cape_channel *channel);

/* Stops for the monitor, which carries out REQUEST and lets the program go on. */
void cape_agent_request(struct cape_channel *channel, enum cape_channel_request request);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * death.h - the sentence about a program that died of a signal.
 */
#ifndef CAPE_DEBUG_DEATH_H
#define CAPE_DEBUG_DEATH_H

#include <stddef.h>
#include <stdint.h>
#include "channel/channel.h"

/*
 * To TEXT of SIZE bytes: PROGRAM, loaded at BIAS, was killed by SIGNAL when it was where STATE
 * says. WHO is the node, or NULL: it has threads.
 */
void death_tell(const char *program, uint64_t bias, const struct cape_channel_state *state,
		int signal, const char *who, char *text, size_t size);

#endif

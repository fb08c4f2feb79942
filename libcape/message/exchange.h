/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exchange.h - every node's message to every node, for sync points and for what the run time asks.
 */
#ifndef CAPE_EXCHANGE_H
#define CAPE_EXCHANGE_H

#include "base/context.h"
#include "message/message.h"

struct cape_exchange {
	bool by_master; /* there is only one message: the master's, of all results */
	uint64_t sequence;
};

/*
 * Exchanges LENGTH bytes with all nodes, for a purpose of the run time's own.  The answers are
 * read by cape_message_of() and CAPE_SECTION_FREE until the next exchange.
 */
void cape_exchange(struct cape_runtime *runtime, enum cape_sync_kind kind, const void *bytes,
		   uint64_t length, const struct cape_place *place);

/*
 * The same in two steps: where the bytes, LENGTH of them, are to be written; the exchange.
 */
void *cape_exchange_open(struct cape_runtime *runtime, struct cape_message_writer *writer,
			 enum cape_sync_kind kind, uint64_t length, const struct cape_place *place);
void cape_exchange_close(struct cape_runtime *runtime, struct cape_message_writer *writer);

/* A message's place in the program. */
void cape_exchange_put_place(struct cape_message *header, const struct cape_place *place);

/* Where SIZE bytes of SECTION go, or the bytes themselves; the run ends when there is no room. */
void *cape_exchange_section(struct cape_runtime *runtime, struct cape_message_writer *writer,
			    enum cape_section section, uint64_t size);
void cape_exchange_put(struct cape_runtime *runtime, struct cape_message_writer *writer,
		       enum cape_section section, const void *bytes, uint64_t size);

/* --profile: an exchange of all with all is over; of the one before, how long others took. */
void cape_exchange_profile(struct cape_runtime *runtime);

/* Nodes 0 .. so many - 1 have sent a message that this node has. */
unsigned cape_exchange_senders(const struct cape_runtime *runtime);

/* One node's message of the exchange just made; ends the run when it is malformed. */
const struct cape_message *cape_exchange_message(struct cape_runtime *runtime, unsigned node);

/* All nodes of the team must have met the same construct, or the run ends; returns its kind. */
enum cape_sync_kind cape_exchange_check(struct cape_runtime *runtime);

#endif

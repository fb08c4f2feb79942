/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay.h - node 0's monitor speaks with cape-run: output to it, standard input from it.
 */
#ifndef CAPE_MONITOR_RELAY_H
#define CAPE_MONITOR_RELAY_H

#include "base/node.h"
#include "common/connection.h"

/*
 * Node 0: calls cape-run, by the invitation in the environment, which is taken out of it; others:
 * takes it out.  0; -ENOMEM, or another -errno with WHY filled for the user.
 */
int relay_start(struct node *node, char *why, size_t why_size);
void relay_stop(struct node *node);

/*
 * Node 0: the program's arguments, each with its 0, *SIZE bytes in all, to be freed; waits for
 * them. NULL: out of memory, or cape-run has died.
 */
char *relay_arguments(struct node *node, size_t *size);

/* Informs cape-run, if this is node 0's monitor, that the start has come to STAGE. */
void relay_stage(struct node *node, enum start_stage stage);

/* Whether cape-run does not write too late. */
bool relay_has_room(const struct node *node);

/* Sends output, even where there is no room.  STREAM: 0 stdout, 1 stderr. */
void relay_output(struct node *node, int stream, const void *bytes, size_t size);

/* Bytes of output that were sent, and that cape-run has written, as far as is known here. */
uint64_t relay_sent(const struct node *node);
uint64_t relay_written(const struct node *node);

/* Sends SIZE bytes for the file that --profile asks for; waits while much is on its way. */
void relay_trace(struct node *node, const void *bytes, size_t size);

/* Asks for standard input as far as BYTES from its start. */
void relay_want(struct node *node, uint64_t bytes);

/* Waits a while for what comes next. */
void relay_wait(struct node *node);

/* Informs cape-run, if this is node 0's monitor, what the run has died of. */
void relay_fault(struct node *node, const struct fault *fault);

/*
 * The last word: all that was output is sent.  Waits until cape-run has it.  STATUS: the run's, if
 * it has come to its end; else below 0.
 */
void relay_end(struct node *node, int status);

#endif

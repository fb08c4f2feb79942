/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay.h - bytes between the user's stdin, stdout and stderr and the run.
 */
#ifndef CAPE_RUN_RELAY_H
#define CAPE_RUN_RELAY_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include "common/connection.h"
#include "common/fault.h"
#include "trace.h"

/* The most that relay_watch() puts into a list. */
#define RELAY_WATCHED 8

/* What the run did to what passed through here. */
enum relay_end {
	RELAY_WHOLE,	   /* all arrived and is written */
	RELAY_LOST,	   /* node 0's monitor did not say that this is all */
	RELAY_FAILED,	   /* could not be written, or read; a message was printed */
	RELAY_BROKEN_PIPE, /* whoever read it has gone, and most programs die of that in silence */
};

struct relay;

/*
 * Listens for node 0's monitor, which is to have the program's ARGUMENTS, and says what goes to
 * TRACE.  What mpirun says itself goes to the descriptor ASIDE, if that is not -1.  NULL: out of
 * memory.
 */
struct relay *relay_start(char **arguments, struct trace *trace, int aside, bool here);

/* What is to be in CONNECTION_VARIABLE of node 0's monitor, to be freed; NULL: out of memory. */
char *relay_invitation(const struct relay *relay);

/* mpirun has started: OUTPUT, the ends of the pipes that are its stdout and stderr, is taken over.
 */
void relay_source_started(struct relay *relay, const int output[2]);

void relay_stop(struct relay *relay);

/*
 * Lists what to wait for; how many.  *PATIENCE is lowered to the milliseconds after which
 * relay_serve() wants to be called even if nothing happens.
 */
size_t relay_watch(struct relay *relay, struct pollfd *list, int *patience);

/* Does what can be done without waiting; LIST is relay_watch()'s, after poll(). */
void relay_serve(struct relay *relay, const struct pollfd *list, size_t count);

/* mpirun has ended: nothing more will come than what is on its way. */
void relay_source_ended(struct relay *relay);

/* Whether all that came is written, and nothing is to be waited for. */
bool relay_idle(const struct relay *relay);

/* Whether node 0's monitor has called; and how far the start has come since. */
bool relay_begun(const struct relay *relay);
enum start_stage relay_stage(const struct relay *relay);

/* Whether node 0's monitor has said its last word. */
bool relay_over(const struct relay *relay);

/* Whether a line of CAPE's own came to stderr. */
bool relay_reported(const struct relay *relay);

/* The status that the run has come to, as node 0's monitor said; below 0: it did not. */
int relay_status(const struct relay *relay);

/* What the run has died of, as node 0's monitor said; NULL: it did not. */
const struct fault *relay_fault(const struct relay *relay);

/* Whether standard input, which is not a file, was read. */
bool relay_has_read(const struct relay *relay);

/* How it stands; RELAY_FAILED and RELAY_BROKEN_PIPE: the run is to end. */
enum relay_end relay_state(const struct relay *relay);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay.h - bytes between the user's stdin, stdout and stderr and the run.
 */
#ifndef CAPE_RUN_RELAY_H
#define CAPE_RUN_RELAY_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

/* The most that relay_watch() puts into a list. */
#define RELAY_WATCHED 8

struct relay;

/*
 * OUTPUT: the ends of the pipes that are mpirun's stdout and stderr, taken over.  NULL: out of
 * memory.
 */
struct relay *relay_start(const int output[2]);

/* Frees it, and dies of SIGPIPE if that is how an ordinary program would have ended. */
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

/* Whether all that came is written. */
bool relay_idle(const struct relay *relay);

/* Whether a line of CAPE's own came to stderr. */
bool relay_told(const struct relay *relay);

/* Whether output could not be written: the run is to end.  The user was told. */
bool relay_failed(const struct relay *relay);

#endif

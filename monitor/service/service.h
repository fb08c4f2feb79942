/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.h - what programs ask between collective sync points: node 0's monitor keeps the book
 * for all, the others pass their program's requests on to it (channel/service.h).
 */
#ifndef CAPE_MONITOR_SERVICE_H
#define CAPE_MONITOR_SERVICE_H

#include "base/node.h"

/* Connects the monitors; collective.  0 or -errno. */
int service_start(struct node *node);
void service_stop(struct node *node);

/* CAPE_REQUEST_SERVICE: the program is replied to now or later. */
void service_request(struct node *node);

/* Does what other monitors and the clock ask for, as node->service_events tells. */
void service_serve(struct node *node);

/* Sleeps for NANOSECONDS, but serves meanwhile and returns when it has. */
void service_nap(struct node *node, long nanoseconds);

/* To be called now and then: lost connections, deadlocks. */
void service_look(struct node *node);

/* The node whose monitor hung up on this one, which the others notice of node 0 only; or -1. */
int service_lost_node(const struct node *node);

/* Whether node 0's machine does not answer this one. */
bool service_lost_silently(const struct node *node);

#endif

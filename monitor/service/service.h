/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.h - what programs ask between collective sync points: node 0's monitor keeps the book
 * for all, the others pass their program's requests on to it (channel/service.h).
 */
#ifndef CAPE_MONITOR_SERVICE_H
#define CAPE_MONITOR_SERVICE_H

#include "base/node.h"

/* Connects the monitors; collective.  Serves others from then on.  0 or -errno. */
int service_start(struct node *node);
void service_stop(struct node *node);

/* Bytes that the log of a run may hold: a quarter of the memory of this machine. */
uint64_t service_log_limit(void);

/* CAPE_REQUEST_SERVICE: the program is replied to now or later. */
void service_request(struct node *node);

/* Does what other monitors have asked for until now, and notices who hung up. */
void service_serve(struct node *node);

/* The node whose monitor hung up on this one, which the others notice of node 0 only; or -1. */
int service_lost_node(const struct node *node);

/* Whether node 0's machine does not answer this one. */
bool service_lost_silently(const struct node *node);

#endif

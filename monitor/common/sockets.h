/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sockets.h - how cape-run gives each monitor its sockets to the others (--wire test).
 */
#ifndef CAPE_COMMON_SOCKETS_H
#define CAPE_COMMON_SOCKETS_H

/*
 * The variable that has them: a number for each node, "-1 4 5": the descriptor of the socket to
 * that node, and -1 for the node itself.
 */
#define SOCKETS_VARIABLE "CAPE_SOCKETS"

/*
 * The seed of what is done to messages (wire/sockets/mischief.h), 0: nothing; for a run in which a
 * line is cut, ",SECONDS" comes after it: those after which one that is silent is closed.
 */
#define SOCKETS_SEED_VARIABLE "CAPE_SOCKETS_SEED"

/* Nodes at most: each has a socket to each other. */
#define SOCKETS_NODES 512

/* What /proc has as the name of the process that has made them and starts the monitors. */
#define SOCKETS_STARTER "cape-starter"

#endif

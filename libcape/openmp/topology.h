/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * topology.h - what the machine is made of, as hwloc knows it.
 */
#ifndef CAPE_TOPOLOGY_H
#define CAPE_TOPOLOGY_H

#include "openmp/places.h"

enum cape_topology {
	CAPE_TOPOLOGY_THREADS,
	CAPE_TOPOLOGY_CORES,
	CAPE_TOPOLOGY_SOCKETS,
	CAPE_TOPOLOGY_CACHES, /* of the last level */
	CAPE_TOPOLOGY_DOMAINS,
	CAPE_TOPOLOGY_KINDS
};

/* As OMP_PLACES calls them, by their numbers. */
#define CAPE_TOPOLOGY_NAMES                                                                        \
	{                                                                                          \
		"threads", "cores", "sockets", "ll_caches", "numa_domains"                         \
	}

/*
 * Adds a spot for each of that KIND which this process may use, MOST at most, neighbours side by
 * side.  False: nobody knows them.
 */
bool cape_topology_add(struct cape_spots *spots, enum cape_topology kind, unsigned most);

#endif

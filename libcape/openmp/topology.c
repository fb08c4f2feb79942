// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * topology.c - asks hwloc, which is loaded only by a program whose threads are to be bound: it
 * takes longer to load, with what it needs, than a program takes to start.
 */
#include "openmp/topology.h"

#include <dlfcn.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libhwloc.so.15"

#define CALLS(CALL)                                                                                \
	CALL(topology_init)                                                                        \
	CALL(topology_load)                                                                        \
	CALL(topology_destroy)                                                                     \
	CALL(get_type_depth)                                                                       \
	CALL(get_nbobjs_by_depth)                                                                  \
	CALL(get_obj_by_depth)                                                                     \
	CALL(bitmap_to_ith_ulong)

#define MEMBER(name) __typeof__(&hwloc_##name) name;
#define FIND(name)   &&(calls->name = (__typeof__(&hwloc_##name))dlsym(library, "hwloc_" #name))

struct calls {
	CALLS(MEMBER)
};

static bool find_calls(struct calls *calls)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	return library CALLS(FIND);
}

static const hwloc_obj_type_t types[] = {
	[CAPE_TOPOLOGY_THREADS] = HWLOC_OBJ_PU,
	[CAPE_TOPOLOGY_CORES] = HWLOC_OBJ_CORE,
	[CAPE_TOPOLOGY_SOCKETS] = HWLOC_OBJ_PACKAGE,
	[CAPE_TOPOLOGY_DOMAINS] = HWLOC_OBJ_NUMANODE,
};

/* The depth of what is of that kind; that of the whole machine, where nothing is known of it. */
static int depth_of(const struct calls *calls, hwloc_topology_t topology, enum cape_topology kind)
{
	static const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE,
						  HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE,
						  HWLOC_OBJ_L1CACHE};
	int depth = HWLOC_TYPE_DEPTH_UNKNOWN;

	if (kind != CAPE_TOPOLOGY_CACHES)
		depth = calls->get_type_depth(topology, types[kind]);
	for (size_t i = 0; kind == CAPE_TOPOLOGY_CACHES && i < sizeof(caches) / sizeof(caches[0]) &&
			   depth == HWLOC_TYPE_DEPTH_UNKNOWN;
	     i++)
		depth = calls->get_type_depth(topology, caches[i]);
	if (depth != HWLOC_TYPE_DEPTH_UNKNOWN && depth != HWLOC_TYPE_DEPTH_MULTIPLE)
		return depth;
	return kind == CAPE_TOPOLOGY_THREADS || kind == CAPE_TOPOLOGY_CORES
		       ? calls->get_type_depth(topology, HWLOC_OBJ_PU)
		       : 0;
}

static void add_all(const struct calls *calls, hwloc_topology_t topology, struct cape_spots *spots,
		    enum cape_topology kind, unsigned most)
{
	int depth = depth_of(calls, topology, kind);
	unsigned count = calls->get_nbobjs_by_depth(topology, depth);
	unsigned long *set = malloc(spots->words * sizeof(*set));

	for (unsigned i = 0; set && i < count && spots->count < most; i++) {
		hwloc_obj_t object = calls->get_obj_by_depth(topology, depth, i);

		for (size_t word = 0; word < spots->words; word++)
			set[word] = calls->bitmap_to_ith_ulong(object->cpuset, (unsigned)word);
		cape_places_add(spots, set);
	}
	free(set);
}

/* In the order of their numbers. */
static void add_processors(struct cape_spots *spots, unsigned most)
{
	unsigned long *set = malloc(spots->words * sizeof(*set));

	if (set)
		memset(set, 0, spots->words * sizeof(*set));
	for (size_t i = 0; set && i < spots->words * CAPE_SET_BITS && spots->count < most; i++) {
		set[i / CAPE_SET_BITS] = 1ul << i % CAPE_SET_BITS;
		cape_places_add(spots, set);
		set[i / CAPE_SET_BITS] = 0;
	}
	free(set);
}

bool cape_topology_add(struct cape_spots *spots, enum cape_topology kind, unsigned most)
{
	hwloc_topology_t topology;
	struct calls calls;

	if (find_calls(&calls) && calls.topology_init(&topology) == 0) {
		if (calls.topology_load(topology) == 0)
			add_all(&calls, topology, spots, kind, most);
		calls.topology_destroy(topology);
	}
	if (kind == CAPE_TOPOLOGY_THREADS && !spots->count)
		add_processors(spots, most);
	return spots->count;
}

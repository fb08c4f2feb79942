// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * placement.c - gathers where nodes may run, looks for those that must share, and reports them.
 *
 * A machine is known by its name, as the user knows it.  Threads of a core count as processors.
 */
#include "placement.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/complain.h"
#include "wire/collective.h"

struct seat {
	char host[HOST_NAME_MAX + 1];
	uint32_t online; /* processors of the machine */
	uint32_t cores;	 /* that have the processors */
	cpu_set_t processors;
};

/* Threads of one core have one first sibling. */
static int first_sibling(int processor)
{
	int first = processor;
	char path[80];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
		 processor);
	file = fopen(path, "re");
	if (file && fscanf(file, "%d", &first) != 1)
		first = processor;
	if (file)
		fclose(file);
	return first >= 0 && first < CPU_SETSIZE ? first : processor;
}

static uint32_t count_cores(const cpu_set_t *processors)
{
	cpu_set_t cores;

	CPU_ZERO(&cores);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, processors))
			CPU_SET(first_sibling(i), &cores);
	return (uint32_t)CPU_COUNT(&cores);
}

/* Where it cannot be known the set is empty. */
static void take_seat(struct seat *seat, bool cores)
{
	memset(seat, 0, sizeof(*seat));
	gethostname(seat->host, sizeof(seat->host) - 1);
	seat->online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	if (sched_getaffinity(0, sizeof(seat->processors), &seat->processors) < 0)
		CPU_ZERO(&seat->processors);
	if (cores)
		seat->cores = count_cores(&seat->processors);
}

/* As taskset(1) writes them: "0-3,8". */
static void list_processors(const cpu_set_t *processors, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (int i = 0, last; i < CPU_SETSIZE && used < size; i = last + 1) {
		last = i;
		if (!CPU_ISSET(i, processors))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, processors))
			last++;
		used += (size_t)snprintf(text + used, size - used, last > i ? "%s%d-%d" : "%s%d",
					 used ? "," : "", i, last);
	}
}

static const char *plural(int count)
{
	return count == 1 ? "" : "s";
}

static void tell_seat(int rank, const struct seat *seat)
{
	int count = CPU_COUNT(&seat->processors);
	char list[256];

	list_processors(&seat->processors, list, sizeof(list));
	if (count)
		inform("node %d: %s, processor%s %s of %u (%d processor%s, %u core%s)", rank,
		       seat->host, plural(count), list, seat->online, count, plural(count),
		       seat->cores, plural((int)seat->cores));
	else
		inform("node %d: %s", rank, seat->host);
}

/* How many nodes have nothing but processors of POOL's. */
static int nodes_in(const struct seat *pool, const struct seat *all, int size)
{
	int count = 0;

	for (int i = 0; i < size; i++) {
		cpu_set_t both;

		CPU_AND(&both, &all[i].processors, &pool->processors);
		count += strcmp(all[i].host, pool->host) == 0 &&
			 CPU_EQUAL(&both, &all[i].processors);
	}
	return count;
}

/*
 * The one with the most nodes, of so many THREADS each, for each processor, of those that have
 * fewer than LIMIT.
 */
static void tell_sharing(const struct seat *all, int size, int threads, int limit)
{
	const struct seat *worst = NULL;
	int nodes = 1, processors = threads;
	char list[256], each[32] = "";

	for (int i = 0; i < size; i++) {
		int count = CPU_COUNT(&all[i].processors);
		int here = nodes_in(&all[i], all, size);

		if (!count || count >= limit || here * processors <= nodes * count)
			continue;
		worst = &all[i];
		nodes = here;
		processors = count;
	}
	if (!worst)
		return;
	list_processors(&worst->processors, list, sizeof(list));
	if (threads > 1)
		snprintf(each, sizeof(each), " of %d threads", threads);
	inform("%d node%s%s share%s processor%s %s of %s, which has %u: they take turns, and are "
	       "no faster than %d",
	       nodes, plural(nodes), each, nodes == 1 ? "s" : "", plural(processors), list,
	       worst->host, worst->online, processors);
}

void placement_tell(struct node *node)
{
	struct seat own, *all = calloc((size_t)node->size, sizeof(*all));

	take_seat(&own, node->options.placement);
	if (!all) {
		node_fail(node, 1, "node %d: out of memory", node->rank);
		return;
	}
	if (collective_gather(node->wire, &own, sizeof(own), all) == 0 && node->rank == 0) {
		for (int i = 0; i < node->size && node->options.placement; i++)
			tell_seat(i, &all[i]);
		tell_sharing(all, node->size, node_threads(node), node->options.sharing_limit);
	}
	free(all);
}

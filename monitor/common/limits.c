/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits.c - raises limits as far as CAPE needs it, or says which one stands in the way.
 *
 * What a limit must be at the least is what nothing works without: more may be needed, which is
 * then said where it fails.
 */
#include "limits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "processes.h"
#include "system/address_space.h"

/* Open files that a program needs to be allowed: its monitor's lie at high numbers. */
#define FILES "1024"
/* By what Open MPI has on its stack. */
#define STACK_KB "512"
/*
 * Processes and threads, of one more in each place than were seen at a time: mpirun's 4 and a
 * keeper; of each node its monitor's 4, a keeper and the program; when it is saved, a copy of that
 * and a thread that writes.
 */
#define PROCESSES_OF_RUN    6
#define PROCESSES_OF_NODE   7
#define PROCESSES_OF_SAVING 2

/* Less address space is of no use at all. */
#define ADDRESSES (1ull << 40)

struct need {
	int resource;
	char letter;	  /* in the shell's ulimit */
	rlim_t least;	  /* bytes, or a number of things */
	const char *what; /* is needed */
	const char *value;
};

static const struct need needs[] = {
	{RLIMIT_NOFILE, 'n', 1024, "CAPE needs " FILES " open files", FILES},
	{RLIMIT_STACK, 's', 512 << 10, "Open MPI needs " STACK_KB " kB of stack", STACK_KB},
	{RLIMIT_FSIZE, 'f', RLIM_INFINITY,
	 "CAPE makes a file of 3 TB in memory, which takes room only where it is used",
	 "unlimited"},
};

static bool is_counted_in_bytes(int resource)
{
	return resource == RLIMIT_STACK || resource == RLIMIT_FSIZE;
}

/* Raises what is in force to LEAST, or *LIMIT says what cannot be raised. */
static bool raise_limit(int resource, rlim_t least, struct rlimit *limit)
{
	if (getrlimit(resource, limit) < 0 || limit->rlim_cur >= least)
		return true;
	if (limit->rlim_max < least)
		return false;
	limit->rlim_cur = least;
	return setrlimit(resource, limit) == 0;
}

static bool raise_needed(const struct need *need, char *why, size_t size)
{
	struct rlimit limit;
	bool bytes = is_counted_in_bytes(need->resource);

	if (raise_limit(need->resource, need->least, &limit))
		return true;
	snprintf(why, size, "the limit ulimit -%c is %llu%s here, but %s; raise it: ulimit -%c %s",
		 need->letter, (unsigned long long)limit.rlim_max / (bytes ? 1024 : 1),
		 bytes ? " kB" : "", need->what, need->letter, need->value);
	return false;
}

static bool raise_processes(int nodes, int threads, bool saves, char *why, size_t size)
{
	unsigned long long least = PROCESSES_OF_NODE + (saves ? PROCESSES_OF_SAVING : 0) +
				   (threads > 1 ? (unsigned)threads - 1 : 0);
	struct processes processes;
	char there[512];

	if (!nodes)
		return true;
	least = PROCESSES_OF_RUN + least * (unsigned long long)nodes;
	processes_find(&processes, least);
	if (processes_room(&processes) >= least)
		return true;
	snprintf(why, size, "%s, but %d node%s need%s %llu more; raise it, or use fewer nodes",
		 processes_describe(&processes, there, sizeof(there)), nodes, nodes == 1 ? "" : "s",
		 nodes == 1 ? "s" : "", least);
	return false;
}

static bool has_addresses(int resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) < 0 || limit.rlim_cur >= ADDRESSES;
}

bool limits_raise(int nodes, int threads, bool saves, char *why, size_t size)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (!raise_needed(&needs[i], why, size))
			return false;
	if (!has_addresses(RLIMIT_AS) || !has_addresses(RLIMIT_DATA)) {
		limits_why(ENOMEM, why, size);
		return false;
	}
	return raise_processes(nodes, threads, saves, why, size);
}

const char *limits_why(int error, char *text, size_t size)
{
	struct processes processes = {.limit = PROCESSES_UNLIMITED};
	char there[512];

	if (error == EAGAIN)
		processes_find(&processes, 0);
	if (processes.limit == PROCESSES_UNLIMITED)
		return cape_address_space_why(error, text, size);
	snprintf(text, size, "%s; raise it, or end some",
		 processes_describe(&processes, there, sizeof(there)));
	return text;
}

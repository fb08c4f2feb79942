/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * team.h - what the MPI twins of bench/apps have in common: parts that rest with a rank, borders
 * between neighbours, times, and the findings of all ranks put together.
 */
#ifndef BENCH_APPS_MPI_TEAM_H
#define BENCH_APPS_MPI_TEAM_H

#include <stddef.h>
#include "../../mpi/share.h"
#include "../app.h"

/* What a check found: the sum of the fingerprints, and whether all is right. */
struct findings {
	unsigned long sum;
	int good;
};

static inline struct findings findings_of_all(struct findings own)
{
	struct findings all = own;

	MPI_Allreduce(&own.sum, &all.sum, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(&own.good, &all.good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
	return all;
}

/* The first of COUNT rows that RANK has; ends the program where a rank would have none. */
static inline size_t part_start(const struct world *world, int rank, size_t count)
{
	if (count < (size_t)world->ranks) {
		fprintf(stderr, "%zu rows are too few for %d ranks\n", count, world->ranks);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	return (size_t)rank * count / (size_t)world->ranks;
}

/* Both neighbours get the border next to them, and this rank theirs; COUNT numbers each. */
static inline void exchange_borders(const struct world *world, double *below, double *first,
				    double *last, double *above, int count)
{
	int down = world->rank > 0 ? world->rank - 1 : MPI_PROC_NULL;
	int up = world->rank + 1 < world->ranks ? world->rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(first, count, MPI_DOUBLE, down, 0, above, count, MPI_DOUBLE, up, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(last, count, MPI_DOUBLE, up, 0, below, count, MPI_DOUBLE, down, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Ends the initialisation that began at ENTERED; the clock at which the run begins. */
static inline double report_init(const struct world *world, const char *name, double entered)
{
	double started = start_clock();

	if (world->rank == 0)
		report_part(name, "init", started - entered);
	return started;
}

static inline void report_run(const struct world *world, const char *name, double started)
{
	double spent = common_clock() - started;

	if (world->rank == 0)
		report_time(name, spent);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share.h - what the MPI twins have in common: who computes what, and putting results together.
 *
 * The appendix exchanges blocks by hand with recursive doubling, which needs a power of two for
 * the number of ranks and for n; MPI_Allgatherv does the same for any.
 */
#ifndef BENCH_MPI_SHARE_H
#define BENCH_MPI_SHARE_H

#include <mpi.h>
#include <stdlib.h>

struct world {
	int rank;
	int ranks;
};

static inline struct world start_world(int *argc, char ***argv)
{
	struct world world;

	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &world.ranks);
	return world;
}

/* The first of the iterations FIRST .. END - 1 that RANK computes; RANK + 1 gives their end. */
static inline int share(const struct world *world, int rank, int first, int end)
{
	return first + (int)((long)rank * (end - first) / world->ranks);
}

/* Everybody gets everybody's share of the iterations FIRST .. END - 1; RESULT is indexed by them.
 */
static inline void gather_shares(const struct world *world, void *result, int first, int end,
				 size_t element)
{
	int *counts = malloc((size_t)world->ranks * sizeof(*counts));
	int *starts = malloc((size_t)world->ranks * sizeof(*starts));
	MPI_Datatype type;

	if (!counts || !starts)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (int rank = 0; rank < world->ranks; rank++) {
		starts[rank] = share(world, rank, first, end);
		counts[rank] = share(world, rank + 1, first, end) - starts[rank];
	}
	MPI_Type_contiguous((int)element, MPI_BYTE, &type);
	MPI_Type_commit(&type);
	MPI_Allgatherv(MPI_IN_PLACE, 0, type, result, counts, starts, type, MPI_COMM_WORLD);
	MPI_Type_free(&type);
	free(counts);
	free(starts);
}

/* This rank's clock, once all have come here. */
static inline double common_clock(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Wtime();
}

/*
 * Rank 0's, for the time of the whole: nobody begins before it is read, as with CAPE.  Where ranks
 * share processors, rank 0 may come out of a barrier last, when others have long been computing.
 * At the end common_clock() will do: rank 0 comes out of it when all have everything.
 */
static inline double start_clock(void)
{
	double now = common_clock();

	MPI_Barrier(MPI_COMM_WORLD);
	return now;
}

#endif

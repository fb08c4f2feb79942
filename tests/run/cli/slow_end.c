/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slow_end.c - loaded before everything else, it makes every monitor but node 0's slow to leave
 * behind MPI_Finalize(), and, with SLOW_MEETINGS in the environment, each meeting of the monitors.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Not there in what is no monitor. */
__attribute__((weak)) int PMPI_Finalize(void);
__attribute__((weak)) int PMPI_Ibarrier(void *communicator, void *request);
int MPI_Finalize(void);
int MPI_Ibarrier(void *communicator, void *request);

static void be_slow(void)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");

	if (rank && strcmp(rank, "0") != 0)
		sleep(3);
}

int MPI_Finalize(void)
{
	int error = PMPI_Finalize();

	be_slow();
	return error;
}

/* Of two, the other goes on as soon as this one has begun. */
int MPI_Ibarrier(void *communicator, void *request)
{
	int error = PMPI_Ibarrier(communicator, request);

	if (getenv("SLOW_MEETINGS"))
		be_slow();
	return error;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slow_end.c - loaded before everything else, it makes every monitor but node 0's slow to leave
 * behind MPI_Finalize().
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Not there in what is no monitor. */
__attribute__((weak)) int PMPI_Finalize(void);
int MPI_Finalize(void);

int MPI_Finalize(void)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");
	int error = PMPI_Finalize();

	if (rank && strcmp(rank, "0") != 0)
		sleep(3);
	return error;
}

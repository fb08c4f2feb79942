/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mamult2d_master.c - MAMULT2D in MPI with a master that gives out work and computes nothing, as
 * CAPE-2 does; reports the phases of ScalCom Figs. 4 and 5.
 *
 * Usage: mpirun -np ranks mamult2d_master [n]      at least 2 ranks
 *
 * Init: the matrices are filled, on all ranks.  Before: the master sends each slave its rows'
 * numbers.  Compute: slaves compute.  Update: results go to the master, and from it to all.
 */
#include "share.h"
#include "../mamult2d.h"

#define TAG 1

enum phase { INIT, BEFORE, COMPUTE, UPDATE, PHASES };

static const char *const phase_name[2][PHASES] = {
	{"master_init", "master_before", "master_compute", "master_update"},
	{"slave_init", "slave_before", "slave_compute", "slave_update"},
};

struct clock {
	double entered;
	double spent[PHASES];
};

static void leave(struct clock *clock, enum phase phase)
{
	double now = MPI_Wtime();

	clock->spent[phase] = now - clock->entered;
	clock->entered = now;
}

/* The slaves are ranks 1 .. ranks - 1. */
static int first_row(const struct world *world, int slave, int n)
{
	return (int)((long)(slave - 1) * n / (world->ranks - 1));
}

static void be_master(const struct world *world, struct clock *clock, int n, int C[n][n])
{
	for (int slave = 1; slave < world->ranks; slave++) {
		int rows[2] = {first_row(world, slave, n), first_row(world, slave + 1, n)};

		MPI_Send(rows, 2, MPI_INT, slave, TAG, MPI_COMM_WORLD);
	}
	leave(clock, BEFORE);
	leave(clock, COMPUTE);
	for (int slave = 1; slave < world->ranks; slave++) {
		int left = first_row(world, slave, n), right = first_row(world, slave + 1, n);

		MPI_Recv(&C[left], (right - left) * n, MPI_INT, slave, TAG, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	}
}

static void be_slave(struct clock *clock, int n, int A[n][n], int B[n][n], int C[n][n])
{
	int rows[2];

	MPI_Recv(rows, 2, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	leave(clock, BEFORE);
	for (int i = rows[0]; i < rows[1]; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				C[i][j] += A[i][k] * B[k][j];
	leave(clock, COMPUTE);
	MPI_Send(&C[rows[0]], (rows[1] - rows[0]) * n, MPI_INT, 0, TAG, MPI_COMM_WORLD);
}

/* The master's phases, and of each phase that of the slave that needed longest. */
static void report_phases(const struct world *world, const struct clock *clock)
{
	double slowest[PHASES], none[PHASES] = {0};

	MPI_Reduce(world->rank ? clock->spent : none, slowest, PHASES, MPI_DOUBLE, MPI_MAX, 0,
		   MPI_COMM_WORLD);
	for (int phase = 0; phase < PHASES && world->rank == 0; phase++) {
		report_part("mamult2d", phase_name[0][phase], clock->spent[phase]);
		report_part("mamult2d", phase_name[1][phase], slowest[phase]);
	}
}

static int report(const struct world *world, const struct clock *clock, double spent, int n,
		  int A[n][n], int B[n][n], int C[n][n])
{
	report_phases(world, clock);
	if (world->rank != 0)
		return EXIT_SUCCESS;
	report_time("mamult2d", spent);
	print_product(n, C);
	return verdict("mamult2d", check_product(n, A, B, C));
}

int main(int argc, char **argv)
{
	struct world world = start_world(&argc, &argv);
	int n = argument(argc, argv, 1, MAMULT2D_SIZE, 1, MAMULT2D_MOST);
	size_t elements = (size_t)n * (size_t)n;
	struct clock clock = {.entered = common_clock()};
	int(*A)[n] = allocate(elements, sizeof(int));
	int(*B)[n] = allocate(elements, sizeof(int));
	int(*C)[n] = allocate(elements, sizeof(int));
	double started;
	int status;

	if (world.ranks < 2) {
		fprintf(stderr, "mamult2d_master: a master and a slave are 2 ranks\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	fill_matrices(n, A, B);
	leave(&clock, INIT);
	started = start_clock();
	clock.entered = started;
	if (world.rank == 0)
		be_master(&world, &clock, n, C);
	else
		be_slave(&clock, n, A, B, C);
	MPI_Bcast(C, (int)elements, MPI_INT, 0, MPI_COMM_WORLD);
	leave(&clock, UPDATE);
	status = report(&world, &clock, common_clock() - started, n, A, B, C);
	free(A);
	free(B);
	free(C);
	MPI_Finalize();
	return status;
}

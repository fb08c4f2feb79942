/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exchange.c - giving every node the checkpoints of all: by a master, by recursive doubling, in a
 * ring (thesis 3.4.1 and Figs. 4.3, 4.4); and the line that equations 3.15 and 3.16 speak of.
 *
 * Usage: mpirun -np ranks exchange master|doubling|ring|line [bytes [rounds]]
 *
 * A checkpoint has BYTES bytes on each node; the master has none, as in CAPE-2.  Nothing is merged,
 * as in the equations.  "line" prints what one message takes and what one byte more takes.
 */
#include <stdlib.h>
#include <string.h>
#include "share.h"
#include "../program.h"

/* Two ways at once over TCP take turns unless they are cut. */
#define SEGMENT	 32768
#define TAG	 1
#define LONG	 (1 << 20)
#define MOST	 (1 << 28)
#define SEGMENTS (2 * (MOST / SEGMENT + 1)) /* both ways */

struct exchange {
	struct world world;
	size_t size;	       /* of one checkpoint */
	unsigned char *blocks; /* the checkpoints of all ranks */
	MPI_Request *requests;
};

/* Posts the transfer of LENGTH bytes in segments behind the COUNT requests there are. */
static int post(struct exchange *x, int count, int send, unsigned char *data, size_t length,
		int rank)
{
	for (size_t at = 0; at < length; at += SEGMENT) {
		int part = (int)(length - at < SEGMENT ? length - at : SEGMENT);
		MPI_Request *request = &x->requests[count++];

		if (send)
			MPI_Isend(data + at, part, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, request);
		else
			MPI_Irecv(data + at, part, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, request);
	}
	return count;
}

static void transfer(struct exchange *x, int send, unsigned char *data, size_t length, int rank)
{
	MPI_Waitall(post(x, 0, send, data, length, rank), x->requests, MPI_STATUSES_IGNORE);
}

static void swap(struct exchange *x, unsigned char *out, int to, unsigned char *in, int from,
		 size_t length)
{
	int count = post(x, 0, 0, in, length, from);

	MPI_Waitall(post(x, count, 1, out, length, to), x->requests, MPI_STATUSES_IGNORE);
}

/* Fig. 3.2: slaves send to the master, it sends all to each. */
static void by_master(struct exchange *x)
{
	unsigned char *slaves = x->blocks + x->size;
	size_t all = (size_t)(x->world.ranks - 1) * x->size;

	if (x->world.rank != 0) {
		transfer(x, 1, x->blocks + (size_t)x->world.rank * x->size, x->size, 0);
		transfer(x, 0, slaves, all, 0);
		return;
	}
	for (int slave = 1; slave < x->world.ranks; slave++)
		transfer(x, 0, x->blocks + (size_t)slave * x->size, x->size, slave);
	for (int slave = 1; slave < x->world.ranks; slave++)
		transfer(x, 1, slaves, all, slave);
}

/* Fig. 4.4: in each step the pairs hold twice as much. */
static void by_doubling(struct exchange *x)
{
	for (int step = 1; step < x->world.ranks; step *= 2) {
		int own = x->world.rank & ~(step - 1), partner = x->world.rank ^ step;
		int theirs = partner & ~(step - 1);

		swap(x, x->blocks + (size_t)own * x->size, partner,
		     x->blocks + (size_t)theirs * x->size, partner, (size_t)step * x->size);
	}
}

/* Fig. 4.3: to the right what came from the left. */
static void by_ring(struct exchange *x)
{
	int ranks = x->world.ranks, rank = x->world.rank;

	for (int step = 0; step < ranks - 1; step++) {
		int out = (rank - step + ranks) % ranks, in = (rank - step - 1 + ranks) % ranks;

		swap(x, x->blocks + (size_t)out * x->size, (rank + 1) % ranks,
		     x->blocks + (size_t)in * x->size, (rank - 1 + ranks) % ranks, x->size);
	}
}

static unsigned char content(int rank, int round, size_t at)
{
	return (unsigned char)scrambled((unsigned int)(rank * 7919 + round * 31) + (unsigned)at);
}

static void fill(struct exchange *x, int round)
{
	unsigned char *own = x->blocks + (size_t)x->world.rank * x->size;

	memset(x->blocks, 0, (size_t)x->world.ranks * x->size);
	for (size_t at = 0; at < x->size; at++)
		own[at] = content(x->world.rank, round, at);
}

/* Whether every block is there from rank FIRST on. */
static int check_blocks(const struct exchange *x, int round, int first)
{
	for (int rank = first; rank < x->world.ranks; rank++)
		for (size_t at = 0; at < x->size; at++)
			if (x->blocks[(size_t)rank * x->size + at] != content(rank, round, at))
				return 0;
	return 1;
}

/* Seconds of one exchange, mean of the rounds; the slowest rank's.  *GOOD: all have all. */
static double time_pattern(struct exchange *x, void (*pattern)(struct exchange *), int rounds,
			   int *good)
{
	int first = pattern == by_master ? 1 : 0, all;
	double spent = 0, slowest;

	*good = 1;
	for (int round = 0; round <= rounds; round++) {
		double started;

		fill(x, round);
		started = common_clock();
		pattern(x);
		MPI_Barrier(MPI_COMM_WORLD);
		if (round > 0)
			spent += MPI_Wtime() - started;
		*good &= check_blocks(x, round, first);
	}
	MPI_Allreduce(good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	MPI_Allreduce(&spent, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	*good = all;
	return slowest / rounds;
}

/* Half of what LENGTH bytes take there and back between ranks 0 and 1. */
static double one_way(struct exchange *x, size_t length, int rounds)
{
	double started = common_clock();

	for (int round = 0; round < rounds && x->world.rank < 2; round++) {
		transfer(x, x->world.rank == 0, x->blocks, length, 1 - x->world.rank);
		transfer(x, x->world.rank == 1, x->blocks, length, 1 - x->world.rank);
	}
	return (MPI_Wtime() - started) / rounds / 2;
}

static void measure_line(struct exchange *x, int rounds)
{
	double message, larger;

	one_way(x, 1, rounds);
	message = one_way(x, 1, 20 * rounds);
	larger = one_way(x, LONG, rounds);
	if (x->world.rank == 0) {
		printf("message_us %.3f\n", message * 1e6);
		printf("byte_ns %.6f\n", (larger - message) / (LONG - 1) * 1e9);
	}
}

static int measure(struct exchange *x, const char *pattern, int rounds)
{
	int power = (x->world.ranks & (x->world.ranks - 1)) == 0, good = 1;
	double seconds;

	if (strcmp(pattern, "line") == 0 && x->world.ranks > 1) {
		measure_line(x, rounds);
		return EXIT_SUCCESS;
	}
	if (strcmp(pattern, "master") == 0)
		seconds = time_pattern(x, by_master, rounds, &good);
	else if (strcmp(pattern, "ring") == 0)
		seconds = time_pattern(x, by_ring, rounds, &good);
	else if (strcmp(pattern, "doubling") == 0 && power)
		seconds = time_pattern(x, by_doubling, rounds, &good);
	else
		return 2;
	if (x->world.rank == 0)
		printf("exchange_us %.3f\n", seconds * 1e6);
	return x->world.rank == 0 ? verdict("exchange", good) : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct exchange x = {.world = start_world(&argc, &argv)};
	int rounds = argument(argc, argv, 3, 10, 1, 1000000);
	int status;

	x.size = (size_t)argument(argc, argv, 2, LONG, 1, MOST / x.world.ranks);
	x.blocks = allocate((size_t)x.world.ranks * x.size + LONG, 1);
	x.requests = allocate(SEGMENTS, sizeof(*x.requests));
	status = argc > 1 ? measure(&x, argv[1], rounds) : 2;
	if (status == 2 && x.world.rank == 0)
		fprintf(stderr, "usage: exchange master|ring|line|doubling [bytes [rounds]]\n"
				"       line: 2 ranks or more; doubling: a power of two\n");
	free(x.blocks);
	free(x.requests);
	MPI_Finalize();
	return status;
}

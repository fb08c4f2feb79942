// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire_mpi.c - the wire over Open MPI.  No other file of the monitor knows MPI.
 */
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
#include "common/clock.h"
#include "wire.h"

struct wire_mpi {
	struct wire wire; /* first: what others see of it */
	/* Apart, so that who looks for the others' messages does not see those of exchanges. */
	MPI_Comm exchanges, others;
};

_Static_assert(sizeof(MPI_Request) <= sizeof(((struct wire_request *)NULL)->handle),
	       "a request of MPI does not fit into the handle");

static MPI_Comm communicator_of(const struct wire *wire, enum wire_tag tag)
{
	const struct wire_mpi *mpi = (const struct wire_mpi *)wire;

	return tag <= WIRE_TAG_EXCHANGES ? mpi->exchanges : mpi->others;
}

static void keep(struct wire_request *request, MPI_Request handle)
{
	request->handle = (uint64_t)(uintptr_t)handle;
}

static void send_message(struct wire *wire, const void *bytes, size_t size, int to,
			 enum wire_tag tag, struct wire_request *request)
{
	MPI_Request handle;

	MPI_Isend(bytes, (int)size, MPI_BYTE, to, (int)tag, communicator_of(wire, tag), &handle);
	keep(request, handle);
}

static void send_until_taken(struct wire *wire, const void *bytes, size_t size, int to,
			     enum wire_tag tag, struct wire_request *request)
{
	MPI_Request handle;

	MPI_Issend(bytes, (int)size, MPI_BYTE, to, (int)tag, communicator_of(wire, tag), &handle);
	keep(request, handle);
}

static void receive_message(struct wire *wire, void *bytes, size_t size, int from,
			    enum wire_tag tag, struct wire_request *request)
{
	MPI_Request handle;

	MPI_Irecv(bytes, (int)size, MPI_BYTE, from, (int)tag, communicator_of(wire, tag), &handle);
	keep(request, handle);
}

static void barrier(struct wire *wire, struct wire_request *request)
{
	MPI_Request handle;

	MPI_Ibarrier(communicator_of(wire, WIRE_TAG_COLLECT), &handle);
	keep(request, handle);
}

static bool probe(struct wire *wire, enum wire_tag tag, int *from)
{
	MPI_Status status;
	int is_here;

	MPI_Iprobe(MPI_ANY_SOURCE, (int)tag, communicator_of(wire, tag), &is_here, &status);
	if (is_here)
		*from = status.MPI_SOURCE;
	return is_here;
}

static bool test(struct wire *wire, struct wire_request *request)
{
	MPI_Request handle = (MPI_Request)(uintptr_t)request->handle;
	MPI_Status status;
	int done, size;

	(void)wire;
	MPI_Test(&handle, &done, &status);
	if (!done)
		return false;
	MPI_Get_count(&status, MPI_BYTE, &size);
	request->size = size == MPI_UNDEFINED ? 0 : (size_t)size;
	return true;
}

static void cancel(struct wire *wire, struct wire_request *request)
{
	MPI_Request handle = (MPI_Request)(uintptr_t)request->handle;

	(void)wire;
	MPI_Cancel(&handle);
}

static void close_wire(struct wire *wire)
{
	MPI_Finalize();
	free(wire);
}

static const struct wire_ops mpi_ops = {
	.send = send_message,
	.send_until_taken = send_until_taken,
	.receive = receive_message,
	.barrier = barrier,
	.probe = probe,
	.test = test,
	.cancel = cancel,
	.close = close_wire,
};

/* As MPI_Comm_dup(), which would keep a processor that others need to come to it, too. */
static void duplicate(MPI_Comm *made)
{
	MPI_Request handle;
	int done;

	MPI_Comm_idup(MPI_COMM_WORLD, made, &handle);
	for (;;) {
		MPI_Test(&handle, &done, MPI_STATUS_IGNORE);
		if (done)
			return;
		sched_yield();
	}
}

struct wire *wire_open(struct loop *loop)
{
	struct wire_mpi *mpi = calloc(1, sizeof(*mpi));

	if (!mpi)
		return NULL;
	mpi->wire = (struct wire){.ops = &mpi_ops, .loop = loop};
	MPI_Init(NULL, NULL);
	duplicate(&mpi->exchanges);
	duplicate(&mpi->others);
	MPI_Comm_rank(mpi->others, &mpi->wire.rank);
	MPI_Comm_size(mpi->others, &mpi->wire.size);
	return &mpi->wire;
}

/* Both ways between this node and another. */
struct meeting {
	MPI_Request request[2];
	char bytes[2];
};

static void begin_to_meet(struct meeting *meeting, int other)
{
	MPI_Irecv(&meeting->bytes[0], 1, MPI_BYTE, other, 0, MPI_COMM_WORLD, &meeting->request[0]);
	MPI_Isend(&meeting->bytes[1], 1, MPI_BYTE, other, 0, MPI_COMM_WORLD, &meeting->request[1]);
}

/* How many have not met by now. */
static int count_missing(struct meeting *meetings, int size, bool *met)
{
	int missing = 0, done;

	for (int i = 0; i < size; i++) {
		MPI_Testall(2, meetings[i].request, &done, MPI_STATUSES_IGNORE);
		met[i] = done;
		missing += !done;
	}
	return missing;
}

bool *wire_meet(int seconds, int *rank, int *size)
{
	const uint64_t deadline = clock_now() + (uint64_t)seconds * 1000000000;
	/* MPI's as long as something is on its way. */
	static struct meeting *meetings;
	bool *met;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, rank);
	MPI_Comm_size(MPI_COMM_WORLD, size);
	meetings = calloc((size_t)*size, sizeof(*meetings));
	met = calloc((size_t)*size, sizeof(*met));
	if (!meetings || !met) {
		free(met);
		*size = 0;
		return NULL;
	}
	for (int i = 0; i < *size; i++)
		begin_to_meet(&meetings[i], i);
	while (count_missing(meetings, *size, met) && clock_now() < deadline)
		usleep(1000);
	return met;
}

void wire_part(void)
{
	MPI_Finalize();
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire_mpi.c - the wire over Open MPI, in a communicator of its own.
 */
#include <mpi.h>
#include <stdlib.h>
#include "wire.h"

struct wire_mpi {
	struct wire wire; /* first: what others see of it */
	MPI_Comm communicator;
};

_Static_assert(sizeof(MPI_Request) <= sizeof(((struct wire_request *)NULL)->handle),
	       "a request of MPI does not fit into the handle");

static MPI_Comm communicator_of(const struct wire *wire)
{
	return ((const struct wire_mpi *)wire)->communicator;
}

static void keep(struct wire_request *request, MPI_Request handle)
{
	request->handle = (uint64_t)(uintptr_t)handle;
}

static void send_message(struct wire *wire, const void *bytes, size_t size, int to,
			 enum wire_tag tag, struct wire_request *request)
{
	MPI_Request handle;

	MPI_Isend(bytes, (int)size, MPI_BYTE, to, (int)tag, communicator_of(wire), &handle);
	keep(request, handle);
}

static void receive_message(struct wire *wire, void *bytes, size_t size, int from,
			    enum wire_tag tag, struct wire_request *request)
{
	MPI_Request handle;

	MPI_Irecv(bytes, (int)size, MPI_BYTE, from, (int)tag, communicator_of(wire), &handle);
	keep(request, handle);
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

static void close_wire(struct wire *wire)
{
	free(wire);
}

static const struct wire_ops mpi_ops = {
	.send = send_message,
	.receive = receive_message,
	.test = test,
	.close = close_wire,
};

struct wire *wire_mpi_open(int (*idle)(void *context, struct patience *patience), void *context)
{
	struct wire_mpi *mpi = calloc(1, sizeof(*mpi));

	if (!mpi)
		return NULL;
	mpi->wire = (struct wire){.ops = &mpi_ops, .idle = idle, .context = context};
	MPI_Comm_dup(MPI_COMM_WORLD, &mpi->communicator);
	MPI_Comm_rank(mpi->communicator, &mpi->wire.rank);
	MPI_Comm_size(mpi->communicator, &mpi->wire.size);
	return &mpi->wire;
}

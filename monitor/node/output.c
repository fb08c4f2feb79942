/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.c - stdout and stderr of all programs, written by the master's monitor.
 *
 * Only there can the order that the program defines be kept: what a node printed before a sync
 * point comes before what any node prints behind it.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "patience.h"

#define PIECE 65536
/* Room in the pipe, so that a program that prints much seldom waits for its monitor. */
#define PIPE_SIZE (1 << 20)

int output_start(struct node *node)
{
	for (int i = 0; i < 2; i++) {
		int end[2];

		if (pipe2(end, O_CLOEXEC) < 0)
			return -errno;
		node->output[i].read_end = end[0];
		node->output[i].write_end = end[1];
		fcntl(end[0], F_SETFL, O_NONBLOCK);
		fcntl(end[0], F_SETPIPE_SZ, PIPE_SIZE);
	}
	return 0;
}

int output_start_receiving(struct node *node)
{
	node->output_received = calloc((size_t)node->size, sizeof(*node->output_received));
	return node->output_received ? 0 : -ENOMEM;
}

void output_stop(struct node *node)
{
	for (int i = 0; i < 2; i++)
		close(node->output[i].read_end);
	free(node->output_received);
}

/* Whoever reads may be slow, or gone: then what is printed goes nowhere, as with any program. */
static void write_all(int stream, const unsigned char *bytes, size_t size)
{
	int descriptor = stream == 0 ? STDOUT_FILENO : STDERR_FILENO;

	while (size) {
		ssize_t written = write(descriptor, bytes, size);

		if (written >= 0) {
			bytes += written;
			size -= (size_t)written;
		} else if (errno == EAGAIN) {
			poll(&(struct pollfd){.fd = descriptor, .events = POLLOUT}, 1, -1);
		} else if (errno != EINTR) {
			return;
		}
	}
}

/* The first byte of a message says which stream it is. */
static void pass_on(struct node *node, int stream, unsigned char *message, size_t size)
{
	MPI_Request request;

	if (node->rank == 0) {
		write_all(stream, message + 1, size);
		return;
	}
	message[0] = (unsigned char)stream;
	MPI_Isend(message, (int)size + 1, MPI_BYTE, 0, NODE_TAG_OUTPUT, node->control, &request);
	node_sent(node, CAPE_SENT_OUTPUT, size + 1);
	if (patience_wait_all(node, &request, 1, MPI_STATUSES_IGNORE) == 0)
		node->output_sent += size;
}

static bool any_output(const struct node *node)
{
	struct pollfd end[2] = {{.fd = node->output[0].read_end, .events = POLLIN},
				{.fd = node->output[1].read_end, .events = POLLIN}};

	return poll(end, 2, 0) > 0;
}

void output_drain(struct node *node)
{
	static unsigned char message[PIECE + 1];
	bool any = any_output(node);

	while (any) {
		any = false;
		for (int stream = 0; stream < 2; stream++) {
			ssize_t got = read(node->output[stream].read_end, message + 1, PIECE);

			if (got > 0) {
				pass_on(node, stream, message, (size_t)got);
				any = true;
			}
		}
	}
}

void output_receive(struct node *node)
{
	static unsigned char message[PIECE + 1];
	MPI_Status status;
	int waiting = 1, got;

	while (node->rank == 0) {
		MPI_Iprobe(MPI_ANY_SOURCE, NODE_TAG_OUTPUT, node->control, &waiting, &status);
		if (!waiting)
			return;
		MPI_Recv(message, sizeof(message), MPI_BYTE, status.MPI_SOURCE, NODE_TAG_OUTPUT,
			 node->control, &status);
		MPI_Get_count(&status, MPI_BYTE, &got);
		if (got < 1)
			continue;
		/* What this node's program printed before comes first. */
		output_drain(node);
		write_all(message[0], message + 1, (size_t)got - 1);
		node->output_received[status.MPI_SOURCE] += (uint64_t)got - 1;
	}
}

int output_await(struct node *node, int which, uint64_t sent)
{
	struct patience patience = {0};

	for (;;) {
		if (node->output_received[which] >= sent)
			return 0;
		output_receive(node);
		if (node->output_received[which] < sent && patience_pass(node, &patience))
			return -ECANCELED;
	}
}

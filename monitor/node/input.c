/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.c - standard input of all programs.
 *
 * A file is copied to every node before the program starts, so that programs can seek in it and
 * every read() gives the same everywhere.  A terminal or a pipe is passed on as it comes.
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "patience.h"

#define PIECE 65536

/* In input_start() one end of a pipe, or a file in memory; the program gets a copy of it. */
static int program_end = -1;

int input_start(struct node *node)
{
	int end[2];

	node->input = -1;
	if (node->options.input_is_file) {
		program_end = memfd_create("cape-stdin", MFD_CLOEXEC);
		return program_end < 0 ? -errno : 0;
	}
	if (pipe2(end, O_CLOEXEC) < 0)
		return -errno;
	program_end = end[0];
	node->input = end[1];
	fcntl(end[1], F_SETFL, O_NONBLOCK);
	return 0;
}

int input_of_program(const struct node *node)
{
	if (node->input >= 0)
		close(node->input);
	return program_end;
}

static void copy_file(struct node *node)
{
	static unsigned char piece[PIECE];
	int size;

	do {
		size = 0;
		if (node->rank == 0)
			size = (int)read(STDIN_FILENO, piece, sizeof(piece));
		MPI_Bcast(&size, 1, MPI_INT, 0, node->control);
		if (size <= 0)
			break;
		MPI_Bcast(piece, size, MPI_BYTE, 0, node->control);
		if (node->rank == 0)
			node_sent(node, CAPE_SENT_INPUT,
				  (uint64_t)(node->size - 1) * (uint64_t)size);
		for (int done = 0; done < size;) {
			ssize_t put = write(program_end, piece + done, (size_t)(size - done));

			if (put <= 0)
				break;
			done += (int)put;
		}
	} while (size > 0);
	lseek(program_end, 0, SEEK_SET);
}

void input_prepare(struct node *node)
{
	if (node->options.input_is_file)
		copy_file(node);
	close(program_end);
}

static void keep(struct node *node, const unsigned char *bytes, size_t size)
{
	unsigned char *more;

	if (!size)
		return;
	more = realloc(node->input_waiting, node->input_waiting_size + size);
	if (!more)
		return;
	memcpy(more + node->input_waiting_size, bytes, size);
	node->input_waiting = more;
	node->input_waiting_size += size;
}

static void feed_program(struct node *node)
{
	while (node->input_waiting_size) {
		ssize_t put = write(node->input, node->input_waiting, node->input_waiting_size);

		if (put <= 0) {
			if (errno == EPIPE)
				node->input_waiting_size = 0;
			return;
		}
		node->input_waiting_size -= (size_t)put;
		memmove(node->input_waiting, node->input_waiting + put, node->input_waiting_size);
	}
}

static void end_input(struct node *node)
{
	feed_program(node);
	if (node->input_waiting_size)
		return;
	close(node->input);
	node->input = -1;
}

/* The master's monitor reads no more than its own program takes. */
static void read_and_send(struct node *node)
{
	static unsigned char piece[PIECE];
	static bool over;
	ssize_t got;

	if (node->input_waiting_size)
		return;
	if (!over) {
		got = read(STDIN_FILENO, piece, sizeof(piece));
		if (got < 0)
			return;
		for (int other = 1; other < node->size; other++) {
			MPI_Request request;

			MPI_Isend(piece, (int)got, MPI_BYTE, other, NODE_TAG_INPUT, node->control,
				  &request);
			node_sent(node, CAPE_SENT_INPUT, (uint64_t)got);
			if (patience_wait_all(node, &request, 1, MPI_STATUSES_IGNORE))
				return;
		}
		over = got == 0;
		keep(node, piece, (size_t)got);
	}
	if (over)
		end_input(node);
}

void input_receive(struct node *node)
{
	static unsigned char piece[PIECE];
	static bool over;
	MPI_Status status;
	int waiting = 1, size;

	if (node->rank == 0 || node->input < 0)
		return;
	while (!over) {
		MPI_Iprobe(0, NODE_TAG_INPUT, node->control, &waiting, &status);
		if (!waiting)
			break;
		MPI_Recv(piece, sizeof(piece), MPI_BYTE, 0, NODE_TAG_INPUT, node->control, &status);
		MPI_Get_count(&status, MPI_BYTE, &size);
		over = size == 0;
		keep(node, piece, (size_t)size);
	}
	if (over)
		end_input(node);
}

void input_pass_on(struct node *node)
{
	if (node->input < 0)
		return;
	if (node->rank == 0)
		read_and_send(node);
	else
		input_receive(node);
	if (node->input >= 0)
		feed_program(node);
}

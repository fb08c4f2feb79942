// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fill.c - fills the memory of a process from a node's file of a set.
 *
 * Of a batch's pieces the threads have some in turns.  What one reads is in its processor's cache
 * while its checksum is looked at and it is written.
 */
#include "fill.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include "base/node.h"
#include "part.h"

/* Pieces that one thread has before it is the next one's turn: a disk is read in longer pieces. */
#define TURN 16u

int fill_open(struct fill *fill, const char *path, const struct file_reader *run,
	      const struct set_chain *chain, int which, size_t threads, struct file_error *error)
{
	*fill = (struct fill){.part = part_open(path, run, chain, which, error)};
	for (; fill->part && fill->fillers < threads; fill->fillers++) {
		struct filler *filler = &fill->filler[fill->fillers];

		filler->fill = fill;
		filler->number = fill->fillers;
		filler->part = part_open(path, run, chain, which, error);
		if (!filler->part)
			break;
	}
	if (fill->part && fill->fillers == threads)
		return 0;
	fill_close(fill);
	return -EBADMSG;
}

void fill_close(struct fill *fill)
{
	file_chain_close(fill->part);
	for (size_t i = 0; i < fill->fillers; i++)
		file_chain_close(fill->filler[i].part);
	*fill = (struct fill){0};
}

int fill_step(struct fill *fill, struct file_piece *piece, struct file_error *error)
{
	int failed = file_chain_step(fill->part, piece, error);

	fill->pieces += !failed && piece->size;
	return failed;
}

/* The process has made room. */
static int put_range(struct filler *filler, const struct file_piece *piece, struct cape_range range)
{
	size_t size = range.end - range.start;
	struct iovec here = {(void *)(uintptr_t)(piece->bytes + (range.start - piece->address)),
			     size};
	struct iovec there = {(void *)(uintptr_t)range.start, size};
	ssize_t done = process_vm_writev(filler->fill->process, &here, 1, &there, 1, 0);

	if (done == (ssize_t)size)
		return 0;
	filler->failed = done < 0 ? -errno : -EFAULT;
	snprintf(filler->error.text, sizeof(filler->error.text),
		 "cannot write the program's memory at %#" PRIx64 ": %s", range.start,
		 strerror(-filler->failed));
	return filler->failed;
}

/* What is needed of PIECE, from NEXT of the list on; nothing is read if that is nothing. */
static int put_piece(struct filler *filler, struct file_piece *piece, size_t *next)
{
	const struct fill *fill = filler->fill;
	uint64_t end = piece->address + piece->size;

	while (*next < fill->count && fill->needed[*next].end <= piece->address)
		++*next;
	for (size_t i = *next; i < fill->count && fill->needed[i].start < end; i++) {
		struct cape_range range = fill->needed[i];

		if (range.start < piece->address)
			range.start = piece->address;
		if (range.end > end)
			range.end = end;
		if (range.start >= range.end)
			continue;
		if (!piece->bytes)
			filler->failed = file_chain_read(filler->part, piece, &filler->error);
		if (filler->failed || put_range(filler, piece, range))
			return filler->failed;
	}
	return 0;
}

static void put_batch(struct filler *filler)
{
	const struct fill *fill = filler->fill;
	struct file_piece piece;
	size_t next = 0;

	for (size_t i = 0; i < fill->pieces && !filler->failed; i++) {
		filler->failed = file_chain_step(filler->part, &piece, &filler->error);
		if (!filler->failed && piece.stored && i / TURN % fill->fillers == filler->number)
			put_piece(filler, &piece, &next);
	}
}

static void *work(void *context)
{
	node_leave_processor();
	put_batch(context);
	return NULL;
}

int fill_put(struct fill *fill, pid_t process, const struct cape_range *needed, size_t count,
	     struct file_error *error)
{
	pthread_t thread[FILL_THREADS];
	bool begun[FILL_THREADS] = {false};
	int failed = 0;

	fill->process = process;
	fill->needed = needed;
	fill->count = count;
	for (size_t i = 1; i < fill->fillers; i++)
		begun[i] = pthread_create(&thread[i], NULL, work, &fill->filler[i]) == 0;
	put_batch(&fill->filler[0]);
	for (size_t i = 1; i < fill->fillers; i++) {
		if (begun[i])
			pthread_join(thread[i], NULL);
		else
			put_batch(&fill->filler[i]);
	}
	for (size_t i = 0; i < fill->fillers && !failed; i++) {
		failed = fill->filler[i].failed;
		*error = fill->filler[i].error;
	}
	fill->pieces = 0;
	return failed;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queue.h - pieces of a file between a thread, which reads or writes it, and the monitor's loop,
 * which sends or receives it: one puts pieces, the other takes them, in their order.
 *
 * The thread waits; the loop looks.
 */
#ifndef CAPE_SAVE_QUEUE_H
#define CAPE_SAVE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUEUE_PIECE  (256ul << 10) /* bytes at most */
#define QUEUE_PIECES 4

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	unsigned char *bytes;
	size_t size[QUEUE_PIECES];
	uint64_t put, taken; /* pieces, since the start */
	bool ended;
};

/* 0 or -ENOMEM. */
int queue_start(struct queue *queue);
void queue_free(struct queue *queue);

/* Where the bytes of piece WHICH are, of all that were ever put. */
unsigned char *queue_bytes(struct queue *queue, uint64_t which);
size_t queue_size(struct queue *queue, uint64_t which);

/* The thread waits until there is room for a piece, or a piece.  False: it is to end. */
bool queue_await_room(struct queue *queue);
bool queue_await_piece(struct queue *queue);

/* How many pieces were put, and taken. */
uint64_t queue_put_count(struct queue *queue);
uint64_t queue_taken_count(struct queue *queue);

/* The next piece, of SIZE bytes, is there; the oldest is not needed any more. */
void queue_put(struct queue *queue, size_t size);
void queue_take(struct queue *queue);

/* The thread waits no more. */
void queue_end(struct queue *queue);

#endif

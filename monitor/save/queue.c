// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * queue.c - a ring of pieces.
 */
#include "queue.h"

#include <errno.h>
#include <stdlib.h>

int queue_start(struct queue *queue)
{
	*queue = (struct queue){.bytes = malloc(QUEUE_PIECES * QUEUE_PIECE)};
	if (!queue->bytes)
		return -ENOMEM;
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->moved, NULL);
	return 0;
}

void queue_free(struct queue *queue)
{
	if (!queue->bytes)
		return;
	pthread_mutex_destroy(&queue->lock);
	pthread_cond_destroy(&queue->moved);
	free(queue->bytes);
	queue->bytes = NULL;
}

unsigned char *queue_bytes(struct queue *queue, uint64_t which)
{
	return queue->bytes + which % QUEUE_PIECES * QUEUE_PIECE;
}

size_t queue_size(struct queue *queue, uint64_t which)
{
	return queue->size[which % QUEUE_PIECES];
}

/* Waits while there are so many PIECES. */
static bool await(struct queue *queue, uint64_t pieces)
{
	bool going;

	pthread_mutex_lock(&queue->lock);
	while (!queue->ended && queue->put - queue->taken == pieces)
		pthread_cond_wait(&queue->moved, &queue->lock);
	going = !queue->ended;
	pthread_mutex_unlock(&queue->lock);
	return going;
}

bool queue_await_room(struct queue *queue)
{
	return await(queue, QUEUE_PIECES);
}

bool queue_await_piece(struct queue *queue)
{
	return await(queue, 0);
}

static uint64_t count(struct queue *queue, const uint64_t *pieces)
{
	uint64_t now;

	pthread_mutex_lock(&queue->lock);
	now = *pieces;
	pthread_mutex_unlock(&queue->lock);
	return now;
}

uint64_t queue_put_count(struct queue *queue)
{
	return count(queue, &queue->put);
}

uint64_t queue_taken_count(struct queue *queue)
{
	return count(queue, &queue->taken);
}

void queue_put(struct queue *queue, size_t size)
{
	pthread_mutex_lock(&queue->lock);
	queue->size[queue->put++ % QUEUE_PIECES] = size;
	pthread_cond_signal(&queue->moved);
	pthread_mutex_unlock(&queue->lock);
}

void queue_take(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->taken++;
	pthread_cond_signal(&queue->moved);
	pthread_mutex_unlock(&queue->lock);
}

void queue_end(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->ended = true;
	pthread_cond_signal(&queue->moved);
	pthread_mutex_unlock(&queue->lock);
}

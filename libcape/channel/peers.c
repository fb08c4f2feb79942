// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * peers.c - frames out of and into the sockets that the monitor left open.
 *
 * Who waits looks for a while first, for a processor that sleeps takes long to wake up; then it
 * blocks, for a moment at most, and who waits for longer shows its monitor that it does.  What was
 * read and not taken is in the channel, where a program that exec() starts finds it.
 */
#include "channel/peers.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include "system/libc.h"

#define READ_MOST  (1u << 18) /* bytes at a time */
#define KEPT_MOST  (1u << 22) /* bytes of memory that stay for what comes */
#define LOOKS	   50u	      /* some 50 microseconds, or turns of other processes */
#define SHORT_WAIT 20	      /* milliseconds, as the sockets have it, too */

struct peer {
	uint64_t start, end; /* of what has come and was not taken */
	unsigned char bytes[];
};

static struct peer *peer_of(struct cape_channel *channel, uint32_t node)
{
	return (struct peer *)((char *)channel + CAPE_CHANNEL_PEERS + node * CAPE_PEER_SIZE);
}

static uint64_t padded(uint64_t size)
{
	return (size + 7) & ~7ull;
}

/* The monitors may know better why. */
static void __attribute__((noreturn))
await_end(struct cape_channel *channel, uint32_t node, int error)
{
	struct timespec second = {.tv_sec = 1};

	channel->peers.error = (uint32_t)error;
	__atomic_store_n(&channel->peers.broken, node + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&channel->peers.waits, 1, __ATOMIC_SEQ_CST);
	for (;;)
		syscall(SYS_nanosleep, &second, NULL);
}

static void make_room(struct peer *peer)
{
	uint64_t left = peer->end - peer->start;

	if (left && peer->end + READ_MOST <= CAPE_PEER_SIZE - sizeof(*peer))
		return;
	memmove(peer->bytes, peer->bytes + peer->start, left);
	if (!left && peer->end > KEPT_MOST)
		madvise((char *)peer + KEPT_MOST, (peer->end - KEPT_MOST) & -4096ull, MADV_REMOVE);
	peer->start = 0;
	peer->end = left;
}

/* What is here of NODE, or comes within a moment. */
static void receive(struct cape_channel *channel, uint32_t node, int flags)
{
	struct peer *peer = peer_of(channel, node);
	long got;

	make_room(peer);
	/* Of what has come that much at least would have been taken. */
	if (peer->end + READ_MOST > CAPE_PEER_SIZE - sizeof(*peer))
		await_end(channel, node, ENOBUFS);
	got = syscall(SYS_recvfrom, CAPE_PEER_FD + node, peer->bytes + peer->end, READ_MOST, flags,
		      NULL, NULL);
	if (got > 0)
		peer->end += (uint64_t)got;
	else if (got == 0 || (errno != EAGAIN && errno != EINTR))
		await_end(channel, node, got ? errno : ECONNRESET);
	else if (!(flags & MSG_DONTWAIT))
		__atomic_store_n(&channel->peers.waits, 1, __ATOMIC_SEQ_CST);
}

/*
 * What comes of others is read, for LONGEST at most until there is something, or until the socket
 * to node TO takes more, if it is another one.  Whether there was any.
 */
static bool read_some(struct cape_channel *channel, uint32_t to, struct timespec longest)
{
	struct pollfd list[CAPE_PEERS_NODES];

	for (uint32_t i = 0; i < channel->nodes; i++)
		list[i] = (struct pollfd){.fd = i == channel->node ? -1 : (int)(CAPE_PEER_FD + i),
					  .events = POLLIN | (i == to ? POLLOUT : 0)};
	if (syscall(SYS_ppoll, list, channel->nodes, &longest, NULL, 0) <= 0)
		return false;
	for (uint32_t i = 0; i < channel->nodes; i++)
		if (list[i].revents & ~POLLOUT)
			receive(channel, i, MSG_DONTWAIT);
	return true;
}

/* Until NODE's socket takes more: others may wait until this program has read what they send. */
static void read_until_writable(struct cape_channel *channel, uint32_t node)
{
	if (!read_some(channel, node, (struct timespec){.tv_nsec = SHORT_WAIT * 1000000}))
		__atomic_store_n(&channel->peers.waits, 1, __ATOMIC_SEQ_CST);
}

/* What is left of the COUNT pieces once SENT bytes are away; returns how many are. */
static unsigned advance(struct iovec *piece, unsigned count, uint64_t sent)
{
	unsigned gone = 0;

	while (gone < count && sent >= piece[gone].iov_len)
		sent -= piece[gone++].iov_len;
	if (gone < count) {
		piece[gone].iov_base = (char *)piece[gone].iov_base + sent;
		piece[gone].iov_len -= sent;
	}
	return gone;
}

static void send_pieces(struct cape_channel *channel, uint32_t node, struct iovec *piece,
			unsigned count)
{
	while (count) {
		struct msghdr message = {.msg_iov = piece, .msg_iovlen = count};
		long sent = syscall(SYS_sendmsg, CAPE_PEER_FD + node, &message,
				    MSG_DONTWAIT | MSG_NOSIGNAL);
		unsigned gone = sent < 0 ? 0 : advance(piece, count, (uint64_t)sent);

		piece += gone;
		count -= gone;
		if (sent < 0 && errno == EAGAIN)
			read_until_writable(channel, node);
		else if (sent < 0 && errno != EINTR)
			await_end(channel, node, errno);
	}
	__atomic_store_n(&channel->peers.waits, 0, __ATOMIC_SEQ_CST);
}

void cape_peers_send(struct cape_channel *channel, uint32_t node, uint32_t kind, uint32_t note,
		     const struct cape_peer_piece *piece, unsigned count)
{
	struct cape_peer_head head = {.kind = kind, .note = note};
	struct iovec out[2 + CAPE_PEER_PIECES] = {{&head, sizeof(head)}};
	uint64_t zero = 0;
	unsigned used = 1;

	for (unsigned i = 0; i < count; i++) {
		head.size += piece[i].size;
		if (piece[i].size)
			out[used++] =
				(struct iovec){(void *)(uintptr_t)piece[i].bytes, piece[i].size};
	}
	if (padded(head.size) > head.size)
		out[used++] = (struct iovec){&zero, padded(head.size) - head.size};
	channel->statistics.sent[CAPE_SENT_OWN] += sizeof(head) + padded(head.size);
	send_pieces(channel, node, out, used);
}

/* Whether the next frame of NODE is here as a whole. */
static bool is_here(struct cape_channel *channel, uint32_t node, struct cape_peer_head *head)
{
	const struct peer *peer = peer_of(channel, node);
	uint64_t size = peer->end - peer->start;

	if (size < sizeof(*head))
		return false;
	memcpy(head, peer->bytes + peer->start, sizeof(*head));
	if (head->size > CAPE_PEER_LONGEST)
		await_end(channel, node, EBADMSG);
	return size - sizeof(*head) >= padded(head->size);
}

const struct cape_peer_head *cape_peers_await(struct cape_channel *channel, uint32_t node)
{
	const struct peer *peer = peer_of(channel, node);
	struct cape_peer_head head;
	bool waited = false;

	for (unsigned i = 0; i < LOOKS && !is_here(channel, node, &head); i++) {
		receive(channel, node, MSG_DONTWAIT);
		syscall(SYS_sched_yield);
	}
	while (!is_here(channel, node, &head)) {
		receive(channel, node, 0);
		waited = true;
	}
	if (waited)
		__atomic_store_n(&channel->peers.waits, 0, __ATOMIC_SEQ_CST);
	return (const struct cape_peer_head *)(peer->bytes + peer->start);
}

const struct cape_peer_head *cape_peers_next(struct cape_channel *channel, uint32_t node)
{
	const struct peer *peer = peer_of(channel, node);
	struct cape_peer_head head;

	if (!is_here(channel, node, &head))
		return NULL;
	return (const struct cape_peer_head *)(peer->bytes + peer->start);
}

void cape_peers_look(struct cape_channel *channel, uint64_t microseconds)
{
	for (unsigned i = 0; i < LOOKS && microseconds > LOOKS; i++) {
		if (read_some(channel, channel->node, (struct timespec){0}))
			return;
		syscall(SYS_sched_yield);
	}
	read_some(channel, channel->node,
		  (struct timespec){.tv_sec = (time_t)(microseconds / 1000000),
				    .tv_nsec = (long)(microseconds % 1000000 * 1000)});
}

void cape_peers_taken(struct cape_channel *channel, uint32_t node)
{
	struct peer *peer = peer_of(channel, node);
	struct cape_peer_head head;

	memcpy(&head, peer->bytes + peer->start, sizeof(head));
	peer->start += sizeof(head) + padded(head.size);
}

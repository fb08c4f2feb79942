/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * invitation.h - one process invites, others of the run call, and both show that they are meant.
 *
 * Anybody on the network may call too: who does not know the run's secret is hung up on, and
 * holds up nobody.
 */
#ifndef CAPE_COMMON_INVITATION_H
#define CAPE_COMMON_INVITATION_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INVITATION_ADDRESSES 16
#define INVITATION_SECRET    16
#define INVITATION_HOST	     65 /* bytes of a host's name */

/* The same for all who see each other's abstract Unix sockets. */
struct neighbourhood {
	char boot[40];
	uint64_t network[2];
};

/* Where to find the inviter: plain bytes, to be given to the peers in a way of the run's own. */
struct invitation {
	unsigned char from_peer[INVITATION_SECRET];    /* what a peer shows */
	unsigned char from_inviter[INVITATION_SECRET]; /* what the inviter shows */
	struct neighbourhood neighbourhood;
	char name[32]; /* of the Unix socket */
	char host[INVITATION_HOST];
	uint32_t lost_after; /* seconds: a TCP connection breaks when nobody answers; 0: the
				kernel's */
	uint16_t port;	     /* network order; 0: no TCP here */
	uint32_t addresses;
	struct in6_addr address[INVITATION_ADDRESSES]; /* IPv4 is mapped */
};

/* Who has called. */
struct peer {
	int socket; /* non-blocking; or -1 */
	char host[INVITATION_HOST];
};

struct caller;

struct inviter {
	struct invitation invitation;
	uint32_t peers;
	int listening[2]; /* Unix, TCP; or -1 */
	struct caller *caller;
	size_t callers, most; /* undecided, and how many may be */
};

/*
 * Listens for peers 1 .. PEERS.  What fails leaves fewer ways to call.  LOST_AFTER: as in struct
 * invitation.  HERE: all are on this machine, and no other can call.
 */
void inviter_open(struct inviter *inviter, uint32_t peers, uint32_t lost_after, bool here);

/*
 * Waits for PATIENCE milliseconds at most until something happens.  PEER[i] is filled for
 * peer i; its socket was -1.
 */
void inviter_hear(struct inviter *inviter, struct peer *peer, int patience);
void inviter_close(struct inviter *inviter);

/* Peer NUMBER calls.  A non-blocking socket, or -1 and in *ERROR -errno. */
int invitation_accept(const struct invitation *invitation, uint32_t number, int *error);

/* As text that an environment variable can hold, to be freed, or NULL; and back. */
char *invitation_text(const struct invitation *invitation);
bool invitation_read(struct invitation *invitation, const char *text);

/* For the user: which port of which host cannot be reached, and why. */
void invitation_explain(const struct invitation *invitation, int error, char *why, size_t size);

#endif

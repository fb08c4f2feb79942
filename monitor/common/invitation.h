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

/* Where to find the host: plain bytes, to be given to the guests in any way that is the run's own.
 */
struct invitation {
	unsigned char from_guest[INVITATION_SECRET]; /* what a guest shows */
	unsigned char from_host[INVITATION_SECRET];  /* what the host shows */
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
struct guest {
	int socket; /* non-blocking; or -1 */
	char host[INVITATION_HOST];
};

struct caller;

struct host {
	struct invitation invitation;
	uint32_t guests;
	int listening[2]; /* Unix, TCP; or -1 */
	struct caller *caller;
	size_t callers, most; /* undecided, and how many may be */
};

/*
 * Listens for guests 1 .. GUESTS.  What fails leaves fewer ways to call.  LOST_AFTER: as in struct
 * invitation.
 */
void host_open(struct host *host, uint32_t guests, uint32_t lost_after);

/*
 * Waits for PATIENCE milliseconds at most until something happens.  GUEST[i] is filled for
 * guest i; its socket was -1.
 */
void host_hear(struct host *host, struct guest *guest, int patience);
void host_close(struct host *host);

/* Guest NUMBER calls.  A non-blocking socket, or -1 and in *ERROR -errno. */
int invitation_accept(const struct invitation *invitation, uint32_t number, int *error);

/* As text that an environment variable can hold, to be freed, or NULL; and back. */
char *invitation_text(const struct invitation *invitation);
bool invitation_read(struct invitation *invitation, const char *text);

/* For the user: which port of which host cannot be reached, and why. */
void invitation_explain(const struct invitation *invitation, int error, char *why, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_link.h - messages over one socket between two monitors, without ever blocking.
 */
#ifndef CAPE_SERVICE_LINK_H
#define CAPE_SERVICE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum link_kind {
	LINK_REQUEST = 1, /* to node 0: a program's, struct passed_on and the payload */
	LINK_REPLY,	  /* from node 0: struct cape_service_reply and the entries */
	LINK_CALL,	  /* from node 0: a thread of your program has what it waits for; its
			   tag */
	LINK_REFUSAL,	  /* text, what is wrong with the last request */
	LINK_QUESTION,	  /* from node 0: where are you?  a number */
	LINK_WHEREABOUTS, /* to node 0: the answer, struct whereabouts */
	LINK_ALONE,	  /* from node 0: all others wait for your program; nothing */
	LINK_FETCH,	  /* between any two: give me pages of your program, struct
			   wanted_body */
	LINK_PAGES,	  /* the answer: pages; or LINK_REFUSAL, */
	LINK_PACKED,	  /* or pages, packed (checkpoint/pack.h) */
};

struct link_frame {
	uint32_t kind;
	uint32_t zero;
	uint64_t size; /* of what follows */
};

struct link {
	int socket;	 /* or -1 */
	int events;	 /* the epoll it belongs to */
	uint32_t number; /* what events say of it */
	uint32_t wants;	 /* events */
	uint64_t *sent;	 /* counts bytes */

	unsigned char received[16384]; /* not looked at yet */
	size_t received_size;
	struct link_frame frame; /* being received; kind 0: none */
	bool held;		 /* it is here, and will be taken later */
	unsigned char *body;
	uint64_t body_size;  /* received of it */
	unsigned char *room; /* for bodies that go nowhere else */
	uint64_t room_size;

	unsigned char small[20480]; /* to be sent */
	size_t small_size;
	struct link_frame head; /* of what PIECE points to */
	struct iovec *piece;	/* to be sent, or NULL */
	size_t piece_count, piece_at;
	bool begun; /* part of it is sent */
};

#define LINK_LATER 1

/* What link_read() hands over to. */
struct link_reader {
	void *context;
	/* Where a body goes, or NULL: into room of the link, as far as LIMIT allows. */
	unsigned char *(*place)(void *context, struct link *link, const struct link_frame *frame);
	uint64_t limit;
	/*
	 * A message is here.  0; LINK_LATER: it stays, and nothing is read, until link_again();
	 * -errno: stop reading.
	 */
	int (*take)(void *context, struct link *link, const struct link_frame *frame,
		    const unsigned char *body);
};

/*
 * Takes SOCKET over and adds it to EVENTS as NUMBER; what it sends is added to *SENT.  0 or
 * -errno.
 */
int link_open(struct link *link, int socket, int events, uint32_t number, uint64_t *sent);
void link_close(struct link *link);

/* Sends SIZE bytes, which are copied.  0 or -errno; also when the other side reads nothing. */
int link_put(struct link *link, enum link_kind kind, const void *bytes, size_t size);

/*
 * Sends what PIECE[1] .. PIECE[COUNT - 1] point to, which must stay until link_busy() is false;
 * PIECE[0] is for the link's use, and the array is freed by it.  One such message at a time.
 */
int link_send(struct link *link, enum link_kind kind, struct iovec *piece, size_t count);
bool link_busy(const struct link *link);

/* The socket takes more.  0 or -errno. */
int link_write(struct link *link);

/* Something has come.  0, -ECONNRESET at its end, another -errno, or what take() gave. */
int link_read(struct link *link, const struct link_reader *reader);

/* The same, for a message that was held. */
int link_again(struct link *link, const struct link_reader *reader);

#endif

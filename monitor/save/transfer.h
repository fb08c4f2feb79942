/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transfer.h - a file of a set goes from one node to another, who writes it to its own disk and
 * answers when it is there.
 *
 * Threads read and write it; the loop sends and receives.  From one node to one other goes one file
 * at a time.
 */
#ifndef CAPE_SAVE_TRANSFER_H
#define CAPE_SAVE_TRANSFER_H

#include "base/node.h"
#include "queue.h"
#include "wire/wire.h"

/* What goes before the file. */
struct transfer_head {
	uint64_t number; /* of the set */
	uint64_t size;	 /* bytes of the file */
	int32_t node;	 /* whose it is; below 0: the one for all */
	int32_t unused;
};

struct transfer_answer {
	int32_t error; /* 0 or -errno */
	char reason[512];
};

struct transfer_out {
	struct transfer_head head;
	int to, file;
	bool is_read; /* a thread reads it */
	int error;    /* of that: 0 or -errno */
	pthread_t thread;
	struct queue queue;
	uint64_t begun; /* pieces that were sent */
	struct wire_request head_request, request[QUEUE_PIECES], answer_request;
	struct transfer_answer answer;
};

/*
 * Begins to send the file of NODE WHICH (below 0: for all) of set NUMBER in FOLDER to the node TO.
 * NULL: ANSWER says why.
 */
struct transfer_out *transfer_send(struct node *node, const char *folder, uint64_t number,
				   int which, int to, struct transfer_answer *answer);

/* Sends what can be.  *MOVED: something was; true: it is over, and out->answer came. */
bool transfer_out_look(struct node *node, struct transfer_out *out, bool *moved);

/* It is over, or is given up with the run. */
void transfer_out_end(struct node *node, struct transfer_out *out);

/* Files that come from one node, one after the other. */
struct transfer_in {
	const char *folder;
	int from;
	uint64_t files;	 /* that came; */
	uint64_t most;	 /* no more are received */
	bool coming;	 /* a file is, whose head is here; */
	bool is_written; /* a thread writes it, */
	bool over;	 /* and has ended */
	struct transfer_head head;
	pthread_t thread;
	struct queue queue;
	uint64_t begun;	   /* pieces that are being received, */
	uint64_t received; /* that are here */
	struct wire_request head_request, request[QUEUE_PIECES], answer_request;
	struct transfer_answer answer;
};

/* Receives MOST files of FROM for FOLDER, which stays.  0 or -ENOMEM. */
int transfer_in_begin(struct node *node, struct transfer_in *in, const char *folder, int from,
		      uint64_t most);

/* Receives what has come.  Whether something has. */
bool transfer_in_look(struct node *node, struct transfer_in *in);

/* What is not there by now is given up.  False: something may still come, and IN must stay. */
bool transfer_in_end(struct node *node, struct transfer_in *in);

#endif

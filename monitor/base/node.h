/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node.h - a monitor's context: its rank, its program, its channel, and how the run stands.
 */
#ifndef CAPE_NODE_H
#define CAPE_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "channel/channel.h"
#include "common/fault.h"
#include "common/monitor_options.h"
#include "loop.h"

struct checkpointer;
struct protection;

struct node_options {
	MONITOR_OPTIONS_HERE;			 /* what cape-run says */
	const struct checkpointer *checkpointer; /* of the method (capture/checkpointer.h) */
	const struct protection *protection;	 /* NULL: it needs none, or none is chosen yet */
	char *program;				 /* its path */
	char *source; /* --copy: that of what it is copied from; or NULL */
};

/* Where one of the program's streams leads. */
struct node_pipe {
	int read_end;  /* the monitor's; -1: there is none of its own, or it is at its end */
	int write_end; /* the program's; closed here once the program runs */
};

/* Bytes of a text for the user. */
#define NODE_REASON_SIZE 16640

/* Why the run fails: the first reason that this monitor learned of. */
struct failure {
	int code; /* exit status of cape-run */
	struct fault fault;
	bool stopped;	 /* by a signal: whoever knows of a better reason may give it */
	bool well;	 /* no failure: a program called exit() in a region, for all */
	bool heard;	 /* of another monitor, which all others hear, too */
	int from;	 /* whose, */
	uint64_t output; /* and its output_sent then */
	char reason[NODE_REASON_SIZE]; /* one line for the user; empty: others report it */
};

struct node {
	int rank, size;
	struct wire *wire; /* to the other monitors */
	struct node_options options;

	struct cape_channel *channel;
	int channel_file;
	int board_file; /* that all nodes have in common (channel/board.h); or -1 */
	int peer_file[CAPE_PEERS_NODES]; /* by which its program reaches others', or -1 */
	int bell;			 /* eventfd that the program rings */
	uint32_t processor;		 /* where this monitor has put itself */

	pid_t parent;	     /* mpirun or its daemon; the run ends when it does */
	char launcher[16];   /* its name */
	volatile bool *left; /* shared with its keeper: this monitor ends of itself */
	int folder;	     /* the run's, held (common/folder.h); or negative */
	pid_t program;
	bool program_ended;
	bool failed;
	unsigned races;
	struct loop loop;

	struct node_pipe output[2]; /* stdout, stderr */
	struct output *outgoing;
	uint64_t output_sent; /* bytes this node has for node 0's monitor, since the start */
	struct input *input;
	struct relay *relay; /* to cape-run; node 0's monitor */

	struct life *life; /* how programs ended */
	struct said *said; /* races, each once (conflict.c) */

	struct failure failure; /* if it has FAILED */

	struct exchange *exchange;
	struct service *service;
	struct save *save;	 /* NULL: the run is not saved */
	struct restore *restore; /* NULL: it begins at its beginning */
	/* What the program was started with (node/launch.c), for a run that goes on from here. */
	void *launch;
	size_t launch_size;
	const char *start_folder; /* in LAUNCH */
	uint64_t program_hash;
	struct fetch *fetch; /* NULL: the run does not exchange by need */
	struct peers *peers; /* NULL: programs are not connected */

	/* What the program has asked for, for the search for deadlocks. */
	uint64_t requests;
	uint64_t exchanges; /* begun */
	/* Exchanges and a model's ways of moving messages, in which all nodes take part. */
	uint64_t moves; /* begun */
	bool exchanging, moving;
	struct trace *trace; /* NULL: the program runs untraced */
};

/* Those that its program has begun by itself (channel/peers.h), and whether it waits in one. */
static inline uint64_t node_meetings(const struct node *node)
{
	return __atomic_load_n(&node->channel->peers.meetings, __ATOMIC_SEQ_CST);
}

static inline bool node_meets(const struct node *node)
{
	const struct cape_channel_peers *peers = &node->channel->peers;

	return __atomic_load_n(&peers->meets, __ATOMIC_SEQ_CST) &&
	       __atomic_load_n(&peers->waits, __ATOMIC_SEQ_CST);
}

/* That run each node's part of a region. */
static inline int node_threads(const struct node *node)
{
	return node->size > 1 && node->options.threads > 1 ? node->options.threads : 1;
}

/*
 * The run fails, unless it has already: kills the program and notes why, in one line for the user.
 * CODE is the exit status of cape-run.  The others are informed when this monitor comes to its end
 * (node/life.c), to which it goes from whatever it does.  Is false.
 */
bool node_fail(struct node *node, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * One thread of a team has ended the process with STATUS, and so ends all: the other programs stop
 * where they are, as when the run fails, but without a message.
 */
void node_end(struct node *node, int status);

/* The same of a fault of KIND, which is no fault of the program's; of a machine, HOST, or NULL. */
bool node_fail_by(struct node *node, enum fault_kind kind, const char *host, int code,
		  const char *format, ...) __attribute__((format(printf, 5, 6)));

/*
 * Goes where the program was when it made its request: while the monitor works, its program
 * sleeps, and the other way round, so on one processor they hand over without waking another one
 * up.  The program goes where the kernel wants it.
 */
void node_follow_program(struct node *node);

/* The calling thread, which works beside the monitor, may run on any processor again. */
void node_leave_processor(void);

#endif

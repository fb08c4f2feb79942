/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * channel.h - the memory that a program and its monitor share, and the hand-over between them.
 *
 * The monitor creates one memfd: the header, after it at fixed offsets the out area (what this
 * node sends), the in area (what all nodes sent) and what channel/profile.h, channel/capture.h or,
 * in runs that exchange by need, channel/fetch.h describes.  The file is sparse; only what was used
 * has memory.
 * The program asks for one thing at a time and sleeps on a futex until it is done; the monitor is
 * informed through an eventfd, so that it can wait for other things meanwhile.
 */
#ifndef CAPE_CHANNEL_H
#define CAPE_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include "channel/conflict.h"

#define CAPE_CHANNEL_MAGIC   0x45504143u /* "CAPE" */
#define CAPE_NODES_LIMIT     1024	 /* that a run may have; a multiple of 64 */
#define CAPE_CHANNEL_TAGS    1026	 /* of a node's threads, the first of which is 1, */
#define CAPE_TAG_OF_TASKS    1025	 /* and of whichever of them waits for tasks */
#define CAPE_CHANNEL_VERSION 33u
#define CAPE_PEERS_NODES     32u /* whose programs are connected, at most */

/* File offsets and lengths of the areas. */
#define CAPE_CHANNEL_OUT   (1ull << 30)
#define CAPE_CHANNEL_IN	   (1ull << 40)
#define CAPE_CHANNEL_LIMIT (1ull << 40) /* bytes an area can hold, less the offset of the first */
#define CAPE_CHANNEL_SIZE  (3ull << 40)

/* Where the program maps it: the same on every node, like all of the program's memory. */
#define CAPE_CHANNEL_ADDRESS 0x2f0000000000ull

/* Descriptors the program inherits, at the same numbers on every node. */
#define CAPE_FIRST_FD	968
#define CAPE_PEER_FD	CAPE_FIRST_FD /* and on, by node: sockets (channel/peers.h) */
#define CAPE_CHANNEL_FD 1000	      /* the memfd */
#define CAPE_BELL_FD	1001	      /* eventfd: program to monitor */
#define CAPE_STDOUT_FD	1002	      /* pipes to the monitor for what a parallel region prints */
#define CAPE_STDERR_FD	1003
#define CAPE_NULL_FD	1004 /* /dev/null, for sequential output of every node but node 0 */
#define CAPE_BOARD_FD	1005 /* the board, where all nodes are on one machine (channel/board.h) */
#define CAPE_LAST_FD	CAPE_BOARD_FD

/* libcape opens its own from here on: the program's begin at 3, as they do without CAPE. */
#define CAPE_OWN_FD 1010

/* The variable that tells a program that it was started by a monitor; alike on all nodes. */
#define CAPE_CHANNEL_VARIABLE "CAPE_CHANNEL"

enum cape_channel_request {
	CAPE_REQUEST_NONE,
	CAPE_REQUEST_EXCHANGE, /* send the out area to all, fill the in area with what all sent */
	CAPE_REQUEST_FAIL,     /* end the run: the reason is in `reason` */
	CAPE_REQUEST_CONFLICT, /* --races found what `conflict` tells: end the run */
	CAPE_REQUEST_RACE,     /* --check-races found what `conflict` tells: go on */
	CAPE_REQUEST_SERVICE,  /* what service.h describes: from the out area to the in area */
	/* By cape_agent_request(), while the program stands still. */
	CAPE_REQUEST_LOCK, /* protect memory: from here on the first write to a page captures it */
	CAPE_REQUEST_SAVE, /* unprotect it, list what was captured, take the registers */
	CAPE_REQUEST_REGISTERS, /* take the registers only */
	/* Those of the models; the exchange of all with all is EXCHANGE. */
	CAPE_REQUEST_GATHER, /* master: fill the in area; others: send the out area to the master */
	CAPE_REQUEST_BROADCAST, /* the master's out area to all */
	CAPE_REQUEST_SCATTER,	/* the master's out area in parts, struct cape_channel_message[] */
	/* By need (--exchange). */
	CAPE_REQUEST_PUSH,  /* parts of the out area to some nodes, after what is in the in area */
	CAPE_REQUEST_FETCH, /* pages that another node has, to CAPE_CHANNEL_FETCHED (fetch.h) */
	/* Saving, and going on from what was saved (save.h). */
	CAPE_REQUEST_SNAPSHOT, /* the out area says what of the process `snapshot` is to be saved */
	CAPE_REQUEST_RESTORE,  /* what was saved, to memory and to the in area */
};

enum cape_channel_flag {
	CAPE_CHANNEL_VERIFY = 1,       /* compare shared memory after every sync point */
	CAPE_CHANNEL_TERMINAL = 2,     /* stdout is a terminal: show every line at once */
	CAPE_CHANNEL_RACES = 4,	       /* look for bytes that nodes changed without order */
	CAPE_CHANNEL_STATISTICS = 8,   /* --stats: count what takes time to count, too */
	CAPE_CHANNEL_NEED = 16,	       /* exchange by need */
	CAPE_CHANNEL_STRESS = 32,      /* by need as hard as it can be: for tests */
	CAPE_CHANNEL_PROFILING = 64,   /* --profile: count for each construct (profile.h) */
	CAPE_CHANNEL_TRACE = 128,      /* and note when what happened */
	CAPE_CHANNEL_KEEP = 256,       /* checkpoints become files: say which bytes changed */
	CAPE_CHANNEL_SAVE = 512,       /* the run is saved now and then */
	CAPE_CHANNEL_RESTORE = 1024,   /* the program goes on from where a run was saved */
	CAPE_CHANNEL_THREADS = 2048,   /* the only node's regions are run by threads */
	CAPE_CHANNEL_REPLICATE = 4096, /* every node runs regions in whole if that is cheaper */
};

/* What a stack that is full is made larger by. */
enum cape_stack_full { CAPE_STACK_NOT_FULL, CAPE_STACK_LIMIT, CAPE_STACK_SETTING };

/* Of a thread that dies of a signal. */
struct cape_channel_death {
	uint64_t after;	     /* the program's code up to the instruction it died of; 0: unknown */
	uint64_t reached;    /* the address that it could not use, if HAS_REACHED */
	uint64_t stack_size; /* of its stack, if that is full */
	uint64_t stack_used; /* of that, at least, had it been larger */
	uint32_t full;	     /* enum cape_stack_full */
	uint32_t has_reached;
	uint32_t thread, threads; /* which it was, and of how many; 0 of 0: a node */
};

#define CAPE_PLACE_FILE 232 /* bytes of a file name, with the zero at its end */

/* What the program is doing; the monitor reads it when the program has died. */
struct cape_channel_state {
	uint32_t in_region; /* inside a parallel region */
	uint32_t whole;	    /* inside one that every node runs in whole, by itself */
	uint32_t exited;    /* the program called exit(): its status is what it meant */
	uint32_t entered;   /* parallel regions so far, counted once what came before is written */
	int32_t line;	    /* of the last construct met */
	char file[CAPE_PLACE_FILE];
	struct cape_channel_death death;
};

/*
 * What a program by threads, which has no monitor, shares with cape-run: the variable names the
 * descriptor of the memfd, and is taken out of the program's environment.
 */
#define CAPE_DEATH_VARIABLE "CAPE_DEATH"
#define CAPE_DEATH_MAGIC    (0x44504143u ^ CAPE_CHANNEL_VERSION) /* "CAPD" */

struct cape_death_note {
	uint32_t magic;
	uint32_t reported; /* why the program ends: it has reported that itself */
	uint64_t load_bias;
	struct cape_channel_state state;
};

/* What a monitor hands to MPI and to its sockets, by what it is for. */
enum cape_sent {
	CAPE_SENT_OWN,	     /* its program's checkpoints, as often as they are sent */
	CAPE_SENT_FORWARDED, /* other nodes' checkpoints, passed on */
	CAPE_SENT_SERVICE,   /* locks, logs, tasks, and who has ended */
	CAPE_SENT_OUTPUT,    /* what its program printed, to node 0 */
	CAPE_SENT_INPUT,     /* standard input, from node 0 */
	CAPE_SENT_FETCHED,   /* pages that other nodes fetched, and asking for them */
	CAPE_SENT_KINDS,
};

/* Times in nanoseconds. */
struct cape_channel_statistics {
	uint64_t sync_points;
	uint64_t runs;		/* changed pieces of memory sent */
	uint64_t changed_bytes; /* data of runs and reductions in this node's checkpoints */
	uint64_t own_bytes;	/* size of these checkpoints: what the out area held in all */
	uint64_t diff_time;	/* folding and comparing with the twin, building the message */
	uint64_t fork_time;	/* jobs by the models of the papers: from the master to the nodes */
	uint64_t exchange_time; /* from hand-over to hand-over */
	uint64_t inject_time;	/* merging and writing to memory */
	uint64_t start_time;	/* CLOCK_MONOTONIC when the program began, when it ended */
	uint64_t end_time;
	uint64_t compared_bytes; /* of memory, with the twin */
	uint64_t paper_bytes;	 /* of the checkpoints in SSD, as the thesis counts (Table 3.3) */
	uint64_t regions;	 /* active ones; of threads */
	uint64_t threads;	 /* in the largest of their teams */
	/* Counted by the monitor. */
	uint64_t locks;
	uint64_t pages_captured;
	uint64_t capture_time;		/* locking, capturing, saving */
	uint64_t registers_bytes;	/* of all checkpoints */
	uint64_t complete_bytes;	/* of complete images */
	uint64_t sent[CAPE_SENT_KINDS]; /* bytes, without what MPI and TCP add */
};

/* Where in the program the code of memory/agent.c is. */
struct cape_channel_agent {
	uint64_t request; /* the trap by which the program asks for something */
	uint64_t start;	  /* system calls in a row */
	uint64_t stop;	  /* a trap at their end */
	uint64_t end;
};

/* Capturing pages, channel/capture.h. */
struct cape_channel_capture {
	uint32_t request;	 /* program: enum cape_channel_request, before the trap */
	uint64_t range_count;	 /* program: stretches of memory to lock; 0: all that is private */
	uint64_t count;		 /* monitor: entries of the table of captured memory */
	uint64_t registers_size; /* monitor: bytes of the registers */
};

/* Exchange by need, channel/fetch.h. */
struct cape_channel_fetch {
	/* Program: what it asks for by CAPE_REQUEST_FETCH. */
	uint32_t owner; /* the node that has it */
	uint32_t stretches;
	uint32_t copies; /* nobody takes note that this node has it */
	/*
	 * Program: counts sync points, twice, and regions' begins; memory is as they left it.
	 * A fetch asks for its own program's version; the owner's monitor serves it when the
	 * owner's is as high.
	 */
	uint64_t version;
	uint32_t awaited; /* monitor: a fetch waits for a higher version; see fetch.h */
	uint32_t served;  /* entries of the table of pages served; see fetch.h */
	/* Monitor: nanoseconds that 1,000 bytes take between nodes, on all the same; 0 on one
	 * machine. */
	uint64_t pace;
};

/* The board, channel/board.h. */
struct cape_channel_board {
	uint32_t open;	    /* monitor: there is one */
	uint32_t spin;	    /* monitor: each node can have a processor of its own */
	uint64_t exchanges; /* program: that it has begun there */
	uint64_t printed;   /* monitor: how often it has taken what the program printed */
	uint64_t shown;	    /* monitor: PRINTED when what node 0 has got last was sent */
	uint64_t log_limit; /* monitor: bytes of the log at most */
	uint32_t crowded;   /* program: waits before it looks again whether to yield (watch.h) */
	uint64_t asked;	    /* program: requests it has made there */
	uint32_t apart;	    /* program: it cannot read others' memory (near.h) */
};

/* Connections between programs, channel/peers.h. */
struct cape_channel_peers {
	uint32_t open;	   /* monitor: there are some */
	uint32_t packs;	   /* monitor: bytes cost more than packing them */
	uint64_t meetings; /* program: exchanges that it has begun there */
	uint32_t waits;	   /* program: for another one, for more than a moment */
	uint32_t meets;	   /* program: it is in such an exchange */
	uint32_t broken;   /* program: 1 + the node whose connection broke; or 0, and */
	uint32_t error;	   /* why: an errno */
};

/* Program: how far it has come in the log, for another one that exec() starts in its place. */
struct cape_channel_log {
	uint64_t published;
	uint64_t complete;
	uint64_t seen;
};

/* Saving, channel/save.h. */
struct cape_channel_save {
	uint32_t ready;	 /* node 0's monitor: the run may be saved now, as cape_save_kind; or 0 */
	uint32_t agreed; /* program: what READY was to node 0 */
	uint32_t every;	 /* monitor: at each so many ends of regions; 1: at the first */
	uint32_t points; /* monitor: or sync points, also inside regions; 0: not so */
	uint32_t in_regions; /* monitor: also inside those that last longer than the interval */
	uint64_t interval;   /* monitor: in nanoseconds, from one save to the next */
	int32_t snapshot;    /* program: the process that keeps its memory as it was */
	uint64_t resume;     /* monitor: where the restored program's registers will be */
	uint64_t size;	     /* monitor: of the pieces in the in area */
	char refusal[256];   /* program: why it cannot be saved now; empty: it can */
};

/* One node's message in the in area or on the board, or a part of the out area for one. */
struct cape_channel_message {
	uint64_t offset; /* from the start of the area, the in area's on the board; aligned to 64 */
	uint64_t size;
};

struct cape_channel {
	uint32_t magic;
	uint32_t version;
	uint32_t node;
	uint32_t nodes;
	uint32_t flags;
	uint32_t request;   /* enum cape_channel_request; the monitor takes it away */
	uint32_t sleeping;  /* the monitor waits for the bell; else it looks at the request */
	uint32_t reply;	    /* futex: counts replies */
	uint32_t expected;  /* the count that the program waits for */
	uint32_t processor; /* that the program ran on when it made its request */
	uint64_t out_size;
	uint64_t in_used;      /* of the in area: by the last exchange, and what was pushed since */
	uint32_t pushes;       /* program: the exchange that it asks for pushes; on all nodes */
	char reason[1024];     /* CAPE_REQUEST_FAIL: one line for the user, without a newline */
	uint64_t fail_address; /* of the variable it is about, or 0: the monitor names it */
	uint64_t stack_limit;  /* RLIMIT_STACK for other programs that this one starts */
	uint64_t load_bias;    /* where the program's own image was loaded */
	uint64_t thread_storage; /* where the initial thread has what is thread-local of it; or 0 */
	uint32_t method;	 /* its number (channel/methods.h) */
	uint32_t model;		 /* its number */
	uint32_t threads;	 /* of each node, as was asked for; 0: as the program finds right */
	uint32_t
		unreported; /* `conflict` tells a race that the next sync point is to tell better */
	struct cape_conflict conflict;
	struct cape_channel_agent agent;
	struct cape_channel_capture capture;
	struct cape_channel_fetch fetch;
	struct cape_channel_board board;
	struct cape_channel_peers peers;
	struct cape_channel_log log;
	struct cape_channel_save save;
	struct cape_channel_state state;
	struct cape_channel_statistics statistics;
	uint32_t waiting;		    /* program: threads that wait for locks and turns */
	uint32_t called[CAPE_CHANNEL_TAGS]; /* monitor: 1 for a thread that is; futex */
	/* One for each node, in the order of nodes; then as many for push, and for pushed. */
	struct cape_channel_message in[];
};

/* Bytes the header takes for that many nodes. */
static inline size_t cape_channel_header_size(uint32_t nodes)
{
	return sizeof(struct cape_channel) + 3ul * nodes * sizeof(struct cape_channel_message);
}

/*
 * Program: the part of the out area that CAPE_REQUEST_PUSH, or an exchange that pushes, sends to
 * NODE; size 0: nothing.
 */
static inline struct cape_channel_message *cape_channel_push(struct cape_channel *channel,
							     uint32_t node)
{
	return &channel->in[channel->nodes + node];
}

/*
 * Program, but not before an exchange: size 1 where NODE sends something, else 0.  Monitor: where
 * in the in area that is, after what the last exchange and earlier pushes left there, and its
 * size.
 */
static inline struct cape_channel_message *cape_channel_pushed(struct cape_channel *channel,
							       uint32_t node)
{
	return &channel->in[2 * channel->nodes + node];
}

/* Program: hand REQUEST over to the monitor and sleep until it is done. */
void cape_channel_request(struct cape_channel *channel, enum cape_channel_request request);

/*
 * Monitor: takes the program's request, or CAPE_REQUEST_NONE.  SLEEPING: if there is none, the
 * program is to ring the bell for the next, until this is called again.
 */
enum cape_channel_request cape_channel_take(struct cape_channel *channel, bool sleeping);

/* Monitor: the request is done; wakes the program. */
void cape_channel_reply(struct cape_channel *channel);

/* Monitor: what the thread that has TAG waits for is its (channel/service.h). */
void cape_channel_call(struct cape_channel *channel, uint32_t tag);

/*
 * Program: until that thread is called, once; at most so many MICROSECONDS, but for 0.  Whether it
 * was.
 */
bool cape_channel_await(struct cape_channel *channel, uint32_t tag, uint64_t microseconds);

#endif

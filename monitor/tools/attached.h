/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attached.h - a process that capectl traces and that /dev/cape acts on, and what one can do to it.
 */
#ifndef CAPE_ATTACHED_H
#define CAPE_ATTACHED_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "tools/time/instants.h"
#include "tracee.h"
#include "uapi/cape_epoch.h"

#define ATTACHED_RANGES 64

/* An exit status: what was looked for is there. */
#define ATTACHED_FOUND 3

enum attached_command {
	COMMAND_LOCK,
	COMMAND_FREEZE,
	COMMAND_UNLOCK,
	COMMAND_DIRTY,
	COMMAND_DIFF,
	COMMAND_ROLLBACK,
	COMMAND_CHECK,
	COMMAND_CORE,
	COMMAND_READ,
	COMMAND_WRITE,
	COMMAND_WATCH,
	COMMAND_RECORD,
	COMMAND_REPORT, /* of a file: needs no process */
	COMMAND_STATUS,
	COMMAND_EPOCH,
	COMMAND_DROP
};

/*
 * What the user asks for; holds no pointers, so that it can be sent to another process.  That may
 * be of an older capectl or of a newer: ATTACHED_ORDER counts up with every change of this struct
 * and of the commands.
 */
#define ATTACHED_ORDER 1

struct attached_order {
	enum attached_command command;
	pid_t pid;     /* 0: none was given */
	bool by_pidfd; /* PIDFD was given, of which PID is the number */
	int pidfd;
	bool json;
	uint32_t mode;	/* lock: CAPE_MODE_* */
	uint32_t flags; /* lock: CAPE_LOCK_* */
	uint32_t range_count;
	struct cape_extent range[ATTACHED_RANGES];
	uint64_t address, length; /* read, write; record: for how many seconds */
	uint64_t watched;	  /* record: bytes at ADDRESS, or 0: pages */
	uint32_t stack_bytes;	  /* record: of the stack, with each record, or 0 */
	uint64_t every;		  /* record: nanoseconds until all pages count again, or 0 */
	bool then;		  /* read: as it was when it was locked */
	/* diff: from which to which; rollback, drop, core, read: which; 0: the newest, or now */
	uint64_t epoch, other_epoch;
	bool stacks; /* report: with callers */
	bool each;   /* report: record by record */
	bool script; /* report: the same, as perf script prints it */
	bool trace;  /* report: the same, as the Trace Event Format wants it */
};

/* Where an order's input comes from, and where its output and its complaints go. */
struct attached_streams {
	FILE *in, *out, *error;
};

struct attached {
	struct tracee tracee;
	int descriptor;		  /* the driver's, for this process */
	struct instants instants; /* of the beginning of each epoch */
	uint64_t stopped_at;	  /* when its threads were last stopped, in ns */
};

/* "capectl: " and a line to STREAMS->error; returns 1, the exit status of what failed. */
int attached_fail(const struct attached_streams *streams, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same, of WHAT the process was asked to do, for an errno. */
int attached_complain(const struct attached *attached, const char *what, int error,
		      const struct attached_streams *streams);

/* Lets the process go on before its order is done, and tells for how long it stood still. */
void attached_let_go_on(struct attached *attached, const struct attached_streams *streams);

/*
 * Blocks, and gives, what an order that lasts waits for: SIGCHLD, and the signals that end it.
 * SIGINT does even where it is ignored: scripts end by it what they started in the background.
 */
void attached_block_signals(sigset_t *signals);

/*
 * Traces the process of ORDER and attaches the driver to it.  An exit status: 0, or 1 with a
 * complaint.
 */
int attached_open(struct attached *attached, const struct attached_order *order,
		  const struct attached_streams *streams);

/* Lets go of the process; what was locked is not any more. */
void attached_close(struct attached *attached);

/* Stops the process, carries out ORDER, and lets it go on.  An exit status. */
int attached_carry_out(struct attached *attached, const struct attached_order *order,
		       const struct attached_streams *streams);

/* BEFORE and the driver's version, which needs no process.  An exit status. */
int attached_version(bool json, const char *before, const struct attached_streams *streams);

#endif

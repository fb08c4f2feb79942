/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * open_files.h - the files that sequential code has open, and what becomes of them in a region.
 *
 * A descriptor that sequential code has opened stands for one file on all nodes.  Outside regions
 * every node works on its own: the file itself when it is only read, else a copy in memory, of
 * which node 0 alone has the original.  In a region all work on node 0's (description.h), and
 * after it the others' descriptors and copies are brought to where node 0's are.
 */
#ifndef CAPE_OPEN_FILES_H
#define CAPE_OPEN_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

struct cape_runtime;

#define CAPE_DESCRIPTORS_LIMIT (1 << 20)
/* Bytes that a node writes and keeps; more are handed on, be it in the middle of a line. */
#define CAPE_WAITING_LIMIT (64ul << 20)

enum cape_open_kind {
	CAPE_OPEN_NOT,	  /* or nothing that nodes share */
	CAPE_OPEN_READ,	  /* a regular file to be read: every node has it */
	CAPE_OPEN_COPY,	  /* a file to be written: other nodes have a copy */
	CAPE_OPEN_STREAM, /* a pipe or random device: other nodes have /dev/null */
	/* Until the end of this region: */
	CAPE_OPEN_OWN,	   /* this node has opened it */
	CAPE_OPEN_UNKNOWN, /* not open here: perhaps node 0 has opened it */
};

/* Where numbers begin and end that nodes other than 0 give to what they open in a region. */
#define CAPE_OWN_DESCRIPTORS	 512
#define CAPE_OWN_DESCRIPTORS_END 1000

/* What was done to a file in a region. */
struct cape_file_change {
	int64_t descriptor;
	uint64_t from, to; /* bytes that were written; none: 0, 0 */
	uint64_t close;	   /* 0, 1, or the address of the stream to close with it */
	uint64_t any;
	uint32_t opened; /* in the region, and not closed in it: by this node, from 1 on */
	int32_t flags;
	int64_t place;
	char path[256];
};

struct cape_open_file {
	enum cape_open_kind kind;
	uint64_t inode; /* shows whether the descriptor is still the same file */
	uint64_t device_of_file, inode_of_file; /* node 0's, of a copy */
	bool common;				/* opened on all nodes, to be written by node 0 */
	uint64_t credit;			/* if so: bytes that are sure to be written */
	int late_error;				/* errno of a write the program did not ask for */
	struct cape_file_change change;		/* in this region */
	int held; /* another descriptor of it that node 0 has in this region; 0: none */
};

/* As large as the C library's lock of a stream. */
struct cape_stream_lock {
	uint64_t word[2];
};

struct cape_open_files {
	struct cape_open_file *file; /* by descriptor */
	int end;		     /* after the highest in use */
	bool changed;		     /* one of them was, in this region */
	bool holds;		     /* another descriptor of one of them */
	bool asked;		     /* node 0 is known to have entered this region */
	bool wrote;		     /* sequential code may have written to a file */
	bool mapped;		     /* and has mapped one to read it */
	bool read;		     /* every node has opened one to read, and may still do so */
	bool unasked;		     /* what stdio writes now libcape makes it write */
	int late_end;		     /* after the highest with a late error */
	FILE *const *streams;	     /* the C library's list of them all, by _chain */
	const void *table[2];	     /* that streams of files have */
	struct cape_stream_lock *stream_lock; /* by descriptors */
	bool streams_held;		      /* by one thread: these */
	FILE **held_stream;
	size_t held_count;
	unsigned char *waiting; /* written in this region, not handed on yet */
	uint64_t waiting_size;
};

/* Sequential code has opened DESCRIPTOR; FILE: what it is on node 0, NULL: what it is here. */
void cape_open_files_add(struct cape_runtime *runtime, int descriptor, enum cape_open_kind kind,
			 const struct stat *file);
/* It is written by node 0, for all, on every node; CREDIT as in outcomes.h. */
void cape_open_files_share(struct cape_runtime *runtime, int descriptor, uint64_t credit);
/* TO is another descriptor of what FROM is. */
void cape_open_files_copy(struct cape_runtime *runtime, int from, int to);
/* Code in a region has opened DESCRIPTOR; returns the number that it is to have. */
int cape_open_files_add_own(struct cape_runtime *runtime, int descriptor);
/* DESCRIPTOR is not open on this node; it may be on node 0. */
void cape_open_files_add_unknown(struct cape_runtime *runtime, int descriptor);
void cape_open_files_remove(struct cape_runtime *runtime, int descriptor);

/*
 * Before node 0 reads or writes DESCRIPTOR in a region: its monitor may do so meanwhile, for
 * another node.  The kernel locks the place of a description that several descriptors have, and the
 * monitor has one for the time of a request only; so node 0 takes another until the region's end.
 * is_held: whether DESCRIPTOR is such a one.
 */
void cape_open_files_hold(struct cape_runtime *runtime, int descriptor);
bool cape_open_files_is_held(const struct cape_runtime *runtime, int descriptor);

/* What DESCRIPTOR is, if it is known, or NULL. */
struct cape_open_file *cape_open_files_find(struct cape_runtime *runtime, int descriptor);

#define CAPE_MEMORY_DEVICES 1 /* the major number of /dev/null and its like */

/* What the program calls the file, as far as it is known here. */
#define CAPE_OPEN_NAME 4096
void cape_open_files_name(struct cape_runtime *runtime, int descriptor, char name[CAPE_OPEN_NAME]);
/* A file in memory that stands for the one at PATH: a descriptor or -1. */
int cape_open_files_make_copy(const char *path, unsigned flags);

/* Whether one of KIND is open. */
bool cape_open_files_has(const struct cape_runtime *runtime, enum cape_open_kind kind);

/* A descriptor by which every node reads FILE itself, or -1. */
int cape_open_files_reader_of(struct cape_runtime *runtime, const struct stat *file);

/* A descriptor of the copy that stands for FILE already, or -1. */
int cape_open_files_copy_of(struct cape_runtime *runtime, const struct stat *file);

/* Whether DESCRIPTOR is what the table says: the program may have closed it by a system call. */
bool cape_open_files_is_still(const struct cape_open_files *files, int descriptor);

/* A number that is another, most likely, for other descriptors that this node has open. */
uint32_t cape_open_files_mark(void);

/* Region entry: forgets what was closed without the run time's knowledge. */
void cape_open_files_enter(struct cape_runtime *runtime);

/* A region's end: node 0 has no other descriptors any more. */
void cape_open_files_leave(struct cape_runtime *runtime);

#endif

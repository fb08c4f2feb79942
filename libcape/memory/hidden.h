/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hidden.h - memory that the program cannot use, read and written in spite of its protection: so no
 * other thread sees a page before all of it is there, nor changes one while it is read.
 */
#ifndef CAPE_HIDDEN_H
#define CAPE_HIDDEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A descriptor of this process's memory, whose number the program may give to another file. */
struct cape_hidden {
	int file; /* or -1: none of the following */
	dev_t device;
	ino_t inode;
	bool reads;  /* what is protected can be read, */
	bool writes; /* and written */
};

/*
 * PROBE: a page of no use, which is protected from then on.  Whether what is protected can be read
 * by the file of this process's memory, be it by another process.
 */
bool cape_hidden_open(struct cape_hidden *hidden, void *probe);

/* In a child of fork(): the file is the parent's memory. */
void cape_hidden_close(struct cape_hidden *hidden);

/* LENGTH bytes of memory that the program cannot use.  False: that cannot be done. */
bool cape_hidden_read(const struct cape_hidden *hidden, void *to, uint64_t from, uint64_t length);
bool cape_hidden_write(const struct cape_hidden *hidden, uint64_t to, const void *from,
		       uint64_t length);

#endif

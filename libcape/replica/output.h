/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * output.h - sequential code prints once, parallel code once for each node that prints.
 */
#ifndef CAPE_OUTPUT_H
#define CAPE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

struct cape_runtime;

/* Which files the descriptors of the channel are, to find out whether stdout is one of them. */
struct cape_output {
	struct {
		uint64_t device, inode;
	} null, input, pipe[2];
	char *buffer[2]; /* stdin's and stdout's */
};

void cape_output_start(struct cape_runtime *runtime);

/* Whether DESCRIPTOR, 0 to 2, still is what cape-run has given the program. */
bool cape_output_is_original(const struct cape_runtime *runtime, int descriptor);

/* Whether DESCRIPTOR leads nowhere since node 0 alone prints: there it is a pipe. */
bool cape_output_is_nowhere(struct cape_runtime *runtime, int descriptor);

/*
 * On a node other than the master: PARALLEL, let stdout and stderr reach the user; else let them
 * go nowhere, since the master prints the same.  A program's own redirection is left alone.
 */
void cape_output_switch(struct cape_runtime *runtime, bool parallel);

#endif

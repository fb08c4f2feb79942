/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch.h - starting the program: first a child that waits, before there is a wire;
 * then, with what node 0 sent, the program itself, alike on every node.
 */
#ifndef CAPE_LAUNCH_H
#define CAPE_LAUNCH_H

#include "base/node.h"

struct launch {
	int to_child;	/* what the child needs to know */
	int from_child; /* why it could not start the program; closed when it did */
	pid_t child;
};

/* Before there is a wire: makes the channel and the child.  0 or -errno. */
int launch_prepare(struct node *node, struct launch *launch);

/*
 * Then: compares the program's file on all nodes, hands node 0's environment, working
 * directory and limits to the child and lets it begin.  Collective.  On failure the run has
 * failed and a message was printed.
 */
void launch_program(struct node *node, struct launch *launch);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line.h - what bytes go through between this node's sockets and another's, where mischief is done.
 *
 * A thread of its own passes them on, as a network would: whatever the monitor does meanwhile,
 * bytes come late, in pieces, and after stalls; and one line may be cut.
 */
#ifndef CAPE_LINE_H
#define CAPE_LINE_H

#include "mischief.h"

struct lines;

/*
 * Of node OWN, by SEED, which is not 0.  CUT: that of the run, or NULL; a line that is silent by it
 * is closed after PATIENCE seconds, as the kernel closes one over TCP.  NULL: out of memory.
 */
struct lines *lines_start(uint64_t seed, int own, const struct mischief_cut *cut, int patience);

/*
 * SOCKET, which leads to node OTHER and does not block, is the lines' from now on if anything is to
 * be done to what goes through it.  What to use in its place, which may be SOCKET itself, or
 * -errno.
 */
int lines_join(struct lines *lines, int socket, int other, enum mischief_line kind);

/* What is on its way from here goes on, for a while at most; then all lines are closed. */
void lines_stop(struct lines *lines);

#endif

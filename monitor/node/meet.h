/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meet.h - cape-monitor --meet: whether every node reaches every other.
 */
#ifndef CAPE_NODE_MEET_H
#define CAPE_NODE_MEET_H

/*
 * Prints to stdout which nodes this one misses (common/answer.h).  FOLDER is Open MPI's, and goes
 * when the last node has ended.  The exit status.
 */
int meet_all(const char *folder);

#endif

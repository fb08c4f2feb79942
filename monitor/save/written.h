/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * written.h - the files that a program writes to, which are to be on the disk when it goes on from
 * a set.
 */
#ifndef CAPE_SAVE_WRITTEN_H
#define CAPE_SAVE_WRITTEN_H

#include <stddef.h>
#include <sys/types.h>

struct written {
	int *file; /* opened by this process: no lock of the program's is on them */
	size_t count;
};

/*
 * Opens what PROCESS, which waits, has open to write to.  A file that nobody may read is left out.
 * 0 or -errno: REASON, of SIZE bytes, says for which file.
 */
int written_open(struct written *written, pid_t process, char *reason, size_t size);

/* Waits until they are on the disk; as above. */
int written_sync(const struct written *written, char *reason, size_t size);

/* Closes them. */
void written_close(struct written *written);

#endif

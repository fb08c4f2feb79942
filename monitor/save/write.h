/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write.h - writing a file of a set, by a thread of its own: the monitor serves its program
 * meanwhile.
 */
#ifndef CAPE_SAVE_WRITE_H
#define CAPE_SAVE_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "channel/range.h"
#include "file/file.h"
#include "sums.h"
#include "written.h"

struct write_section {
	const char *name;
	void *bytes;
	uint64_t size;
};

#define WRITE_SECTIONS 16 /* at most */

/* What is to be written, and what came of it. */
struct write_job {
	char *folder; /* of the set; made if it is not there */
	char name[32];
	struct file_head head;
	pid_t process; /* whose memory; it must stay */
	struct cape_range *range;
	size_t ranges;
	struct write_section section[WRITE_SECTIONS];
	size_t sections;
	struct written written; /* what is on the disk before this file is */
	struct sums before;	/* of memory in the file that an increment goes on from */

	/* Once it is over. */
	struct sums sums;  /* of memory in this file */
	uint64_t identity; /* of the file */
	uint64_t bytes;	   /* of it */
	int error;	   /* 0 or -errno, with REASON for the user */
	char reason[512];
};

struct write;

/* JOB and all that it points to stays until write_end().  NULL: JOB says why. */
struct write *write_begin(struct write_job *job);

bool write_is_over(const struct write *write);

/* Waits, not for long if it CANCELs; then frees WRITE. */
void write_end(struct write *write, bool cancel);

/* Frees what JOB points to. */
void write_job_free(struct write_job *job);

#endif

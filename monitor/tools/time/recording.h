/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h - the file that "capectl record" writes and "capectl report" reads.
 *
 * It is written from front to back, so that it may go through a pipe: a struct recording_header,
 * the text of /proc/PID/maps when the process was locked, and runs of records.  A run is a struct
 * recording_run and its records (record_size bytes; struct cape_record is what they begin with, and
 * in version 2 struct cape_record_stack what they have at stack_offset).  One without records is
 * the end of the file.
 */
#ifndef CAPE_RECORDING_H
#define CAPE_RECORDING_H

#include <stdint.h>

#define RECORDING_MAGIC	  "CAPEREC" /* with its zero */
#define RECORDING_VERSION 1
#define RECORDING_STACKS  2	      /* the version with stacks */
#define RECORDING_MAPS	  (64u << 20) /* bytes: no process has as many mappings */
#define RECORDING_RECORD  (64u << 10) /* bytes: no record is as large */

struct recording_header {
	char magic[8];
	uint32_t version;
	uint32_t record_size;
	uint64_t pid;
	uint64_t maps_size;
};

/* What follows that in version 2. */
struct recording_stacks {
	uint32_t stack_offset;
	uint32_t stack_bytes; /* of each record, at most */
};

struct recording_run {
	uint64_t count;
	uint64_t lost; /* records for which there was no room, up to now */
};

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * file_request.h - what is done to a file that all nodes of a region share.
 *
 * Threads of an OpenMP program share a file's description: its place, its size, its bytes.  Here
 * the description is that of node 0's program.  Node 0 works on it itself; for the others node 0's
 * monitor does, which takes it from the program.  So all that nodes do to one file happens to one
 * description, at the time when it is done.
 *
 * A request is a struct cape_service_request of kind CAPE_SERVICE_FILE; ID is the descriptor.
 * Node 0 must have entered as many parallel REGIONS as the node that asks, so that what sequential
 * code did before comes first.  The reply's RESULT is the call's, PLACE the description's
 * afterwards.
 */
#ifndef CAPE_FILE_REQUEST_H
#define CAPE_FILE_REQUEST_H

#include <stdbool.h>
#include "channel/service.h"

#define CAPE_FILE_NOWHERE UINT64_MAX

/* The most bytes that one request reads. */
#define CAPE_FILE_PIECE (16ul << 20)

enum cape_file_operation {
	CAPE_FILE_ENTERED,  /* nothing: waits until node 0 has entered the region */
	CAPE_FILE_WRITE,    /* the payload */
	CAPE_FILE_WRITE_AT, /* the payload, at OFFSET */
	CAPE_FILE_READ,	    /* LENGTH bytes, which follow the reply */
	CAPE_FILE_READ_AT,  /* LENGTH bytes at OFFSET */
	CAPE_FILE_SEEK,	    /* to OFFSET, as HOW says */
	CAPE_FILE_TRUNCATE, /* to OFFSET bytes */
	CAPE_FILE_ALLOCATE, /* LENGTH bytes at OFFSET; HOW: mode */
	CAPE_FILE_SYNC,
	CAPE_FILE_STATUS, /* a struct stat follows the reply */
	CAPE_FILE_OPERATIONS,
};

/* Bytes that follow the reply to REQUEST at most. */
uint64_t cape_file_answer_size(const struct cape_service_request *request);

/*
 * Does what REQUEST says to DESCRIPTOR: BYTES are the payload, or get what is read.  Whether bytes
 * follow, and how many, is the reply's SIZE.
 */
struct cape_service_reply
cape_file_perform(int descriptor, const struct cape_service_request *request, void *bytes);

/* Whether that would not wait for another process. */
bool cape_file_is_ready(int descriptor, const struct cape_service_request *request);

#endif

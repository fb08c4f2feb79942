/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wire.h - a checkpoint's memory members on their way to another node.
 *
 * The run table: for each run the gap from the end of the run before (the first: from address 0)
 * and the length, as varints (7 bits a byte, lowest first, the top bit says that more follow).
 * Apart from it one block of data: the runs' bytes, in their order.
 */
#ifndef CAPE_WIRE_H
#define CAPE_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include "checkpoint/runs.h"

/* Bytes that the table of RUNS takes at most, and that cape_wire_put() may write to. */
size_t cape_wire_bound(const struct cape_runs *runs);

/* Writes the table of RUNS to OUT, which has room for cape_wire_bound(); returns its size. */
size_t cape_wire_put(const struct cape_runs *runs, unsigned char *out);

/* Reads a table and its data; both stay the caller's and must outlive it. */
struct cape_cursor {
	const unsigned char *table, *table_end;
	const unsigned char *data, *data_end;
	uint64_t address; /* where the last run ended */
};

/*
 * Begins to read a table of TABLE_SIZE bytes with DATA_SIZE bytes of data, from an untrusted
 * place.  0, or -EBADMSG when one of them is missing.
 */
int cape_cursor_open(struct cape_cursor *cursor, const void *table, size_t table_size,
		     const void *data, size_t data_size);

/*
 * The next run, and where in the block its RUN->length bytes are.  1; 0 at the end; -EBADMSG when
 * the table or the data are malformed: a varint that is cut, too long or not the shortest, a run
 * of length 0, a wrap around, more bytes than there are, or bytes that no run names.
 */
int cape_cursor_next(struct cape_cursor *cursor, struct cape_run *run, const unsigned char **data);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * wire.c - the run table: gaps and lengths as varints.
 */
#include "checkpoint/wire.h"

#include <errno.h>
#include "checkpoint/varint.h"

size_t cape_wire_bound(const struct cape_runs *runs)
{
	/* No gap is larger than the last address, no length larger than the sum. */
	return runs->count *
	       (cape_varint_size(cape_runs_end(runs)) + cape_varint_size(runs->bytes));
}

size_t cape_wire_put(const struct cape_runs *runs, unsigned char *out)
{
	const struct cape_run *run = runs->run;
	unsigned char *at = out;
	uint64_t address = 0;

	for (size_t i = 0; i < runs->count; i++) {
		at = cape_varint_put(at, run[i].address - address);
		at = cape_varint_put(at, run[i].length);
		address = run[i].address + run[i].length;
	}
	return (size_t)(at - out);
}

int cape_cursor_open(struct cape_cursor *cursor, const void *table, size_t table_size,
		     const void *data, size_t data_size)
{
	if ((!table && table_size) || (!data && data_size))
		return -EBADMSG;
	*cursor = (struct cape_cursor){
		.table = table,
		.table_end = table ? (const unsigned char *)table + table_size : NULL,
		.data = data,
		.data_end = data ? (const unsigned char *)data + data_size : NULL,
	};
	return 0;
}

int cape_cursor_next(struct cape_cursor *cursor, struct cape_run *run, const unsigned char **data)
{
	uint64_t gap, length, end;

	if (cursor->table == cursor->table_end)
		return cursor->data == cursor->data_end ? 0 : -EBADMSG;
	if (!cape_varint_get(&cursor->table, cursor->table_end, &gap) ||
	    !cape_varint_get(&cursor->table, cursor->table_end, &length))
		return -EBADMSG;
	if (!length || length > (uint64_t)(cursor->data_end - cursor->data) ||
	    __builtin_add_overflow(cursor->address, gap, &run->address) ||
	    __builtin_add_overflow(run->address, length, &end))
		return -EBADMSG;
	run->length = length;
	cursor->address = end;
	*data = cursor->data;
	cursor->data += length;
	return 1;
}

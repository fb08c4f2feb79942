/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * encode.h - the structures of a checkpoint's memory members, to compare their sizes and to store
 * them: those of DICKPT (thesis 2.3.3.3, Fig. 2.14) and CAPE's own.
 *
 * Numbers are little-endian.  A record for each
 *	SD	changed 4-byte word: address, value
 *	SSD	run: address, length, its bytes
 *	MD	page: address, bitmap of words (lowest bit first), the words
 *	EP	page: address, the page
 * COMPACT is: the size of the table (varint), the table, one block with the runs' bytes.  The
 * table is that of wire.h, but where that is shorter, one entry stands for all the words of a
 * page: pages to go on from that of the place reached (varint), 0, the bitmap.
 */
#ifndef CAPE_ENCODE_H
#define CAPE_ENCODE_H

#include <stdbool.h>
#include "paper/buffer.h"
#include "checkpoint/runs.h"

enum cape_structure {
	CAPE_SD,
	CAPE_SSD,
	CAPE_MD,
	CAPE_EP,
	CAPE_COMPACT,
};

/* Memory to be encoded, here or elsewhere. */
struct cape_reader {
	void *context;
	/* Copies the LENGTH bytes at ADDRESS to BYTES.  0 or -errno, which the caller gets. */
	int (*read)(void *context, uint64_t address, void *bytes, size_t length);
};

struct cape_format {
	enum cape_structure structure;
	unsigned address_size; /* bytes of an address: 4 or 8; not in COMPACT */
	unsigned length_size;  /* bytes of a length in SSD: 4 or 8 */
	unsigned page_size;    /* MD, EP, COMPACT: a power of 2, 32 to CAPE_PAGE_LIMIT */
	bool by_page;	       /* SSD: a run ends where a page does (DICKPT, TICKPT method 1) */
};

#define CAPE_PAGE_LIMIT 65536

/* The thesis on its 32-bit machine: Table 3.3 method 2 is SSD, method 1 the same by_page. */
#define CAPE_FORMAT_THESIS(structure_) ((struct cape_format){structure_, 4, 4, 4096, false})
/* The same on 64 bits. */
#define CAPE_FORMAT(structure_) ((struct cape_format){structure_, 8, 4, 4096, false})

/* Bytes that cape_encode() makes of RUNS; 0 for a format that is not valid. */
uint64_t cape_encoded_size(const struct cape_format *format, const struct cape_runs *runs);

/*
 * Appends to OUT what is in RUNS, whose bytes MEMORY's read() gives.  SD and MD hold whole words
 * and EP whole pages, so they read around the runs too.  0, -ENOMEM, what read() returns, -ERANGE
 * when an address or length does not fit into its width, -EINVAL for a format that is not valid;
 * then OUT is as it was.
 */
int cape_encode(const struct cape_format *format, const struct cape_runs *runs,
		const struct cape_reader *memory, struct cape_buffer *out);

/*
 * Appends to RUNS and DATA what the SIZE bytes at BYTES hold; they may come from anywhere.  RUNS
 * and DATA must be empty.  It takes memory in proportion to SIZE only.  0, -ENOMEM, -EINVAL for a
 * format that is not valid, or -EBADMSG: cut or left-over bytes, addresses that are out of order,
 * overlap, wrap around or are not those of words or pages, empty records.
 */
int cape_decode(const struct cape_format *format, const void *bytes, size_t size,
		struct cape_runs *runs, struct cape_buffer *data);

#endif

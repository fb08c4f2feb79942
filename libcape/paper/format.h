/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * format.h - what encode.c and decode.c have in common.
 */
#ifndef CAPE_FORMAT_H
#define CAPE_FORMAT_H

#include "paper/encode.h"

/* Bytes of the bitmap of a page's words. */
static inline size_t cape_map_size(const struct cape_format *format)
{
	return format->page_size / CAPE_WORD / 8;
}

static inline bool cape_width_valid(unsigned width)
{
	return width == 4 || width == 8;
}

static inline bool cape_format_valid(const struct cape_format *format)
{
	return cape_width_valid(format->address_size) && cape_width_valid(format->length_size) &&
	       format->page_size >= 8 * CAPE_WORD && format->page_size <= CAPE_PAGE_LIMIT &&
	       (format->page_size & (format->page_size - 1)) == 0;
}

#endif

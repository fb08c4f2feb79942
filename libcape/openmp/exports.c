// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * exports.c - the constructs' calls of cape.h, as the object in use does them.
 */
#include <stdarg.h>
#include "cape_atomic.h"
#include "openmp/constructs.h"
#include "sync/flush.h"

#define EXPORT(type, name, parameters, arguments)                                                  \
	CAPE_EXPORT type cape_##name parameters                                                    \
	{                                                                                          \
		return cape_constructs->name arguments;                                            \
	}

CAPE_CONSTRUCT_CALLS(EXPORT)

CAPE_EXPORT void ckpt_start_at(const void *frame)
{
	cape_constructs->start(frame);
}

CAPE_EXPORT void(cape_touch_read)(unsigned long address, unsigned long size)
{
	cape_constructs->touch_read(address, size);
}

CAPE_EXPORT void cape_flush_at(const struct cape_place *place, unsigned long count, ...)
{
	unsigned long listed = count & ~CAPE_FLUSH_STEP;
	struct cape_flushed flushed[listed + 1];
	va_list list;

	va_start(list, count);
	for (unsigned long i = 0; i < listed; i++) {
		flushed[i].address = va_arg(list, const void *);
		flushed[i].size = va_arg(list, unsigned long);
	}
	va_end(list);
	cape_constructs->flush(place, count, flushed);
}

CAPE_EXPORT void cape_flush_first_at(const struct cape_place *place)
{
	cape_constructs->flush(place, CAPE_FLUSH_FIRST, NULL);
}

CAPE_EXPORT void cape_end_at(enum cape_directive directive, int reduction,
			     const struct cape_place *place)
{
	(void)reduction;
	cape_constructs->end(directive, place);
}

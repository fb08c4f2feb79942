/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protected.h - locking and saving by the protection that was chosen.
 */
#ifndef CAPE_PROTECTED_H
#define CAPE_PROTECTED_H

#include "protect.h"
#include "trace.h"

/* Protects what is private and writable in COUNT ranges.  0 or -errno. */
int protected_lock(struct trace *trace, struct trace_thread *thread, const struct cape_range *range,
		   size_t count);

/* As struct checkpointer wants it. */
int protected_save(struct trace *trace, struct trace_thread *thread);

#endif

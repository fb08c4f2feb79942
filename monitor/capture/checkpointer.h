/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checkpointer.h - what the program asks of a monitor that captures pages: START and SAVE of
 * DICKPT (thesis 2.3.3), for the methods complete, dickpt and tickpt1.
 */
#ifndef CAPE_CHECKPOINTER_H
#define CAPE_CHECKPOINTER_H

#include "trace.h"

/* Chooses how memory is protected.  0 or -errno; the user was told. */
int checkpointer_start(struct trace *trace);

/* Carries out the request for which THREAD has stopped. */
void checkpointer_serve(struct trace *trace, struct trace_thread *thread);

#endif

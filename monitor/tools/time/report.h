/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - what a recording (recording.h) says: who wrote, and to what.
 */
#ifndef CAPE_REPORT_H
#define CAPE_REPORT_H

#include "tools/attached.h"

/* Reads the recording FILE, or standard input if that is NULL, as ORDER has it.  An exit status. */
int report(const char *file, const struct attached_order *order,
	   const struct attached_streams *streams);

#endif

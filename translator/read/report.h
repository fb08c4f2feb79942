/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.h - how a stage reports an error. */
#ifndef CAPE_TRANSLATOR_REPORT_H
#define CAPE_TRANSLATOR_REPORT_H

struct unit;

/* Prints "file:line:column: error: ..." with the user's line below, and counts it. */
void report_error(struct unit *unit, unsigned int offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void report_warning(struct unit *unit, unsigned int offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif

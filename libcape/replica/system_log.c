// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * system_log.c - syslog(): what sequential code writes to the system's log is there once.
 *
 * The functions take the place of the C library's in the program.
 */
#include <stdarg.h>
#include <syslog.h>
#include "system/libc.h"
#include "message/one_truth.h"

CAPE_FUNCTION(void, vsyslog, (int priority, const char *format, va_list list))
{
	const struct cape_runtime *runtime = cape_runtime_get();

	if (runtime->node == 0 || !cape_is_replicated(runtime))
		CAPE_OWN_FUNCTION(vsyslog)(priority, format, list);
}

CAPE_FUNCTION(void, __vsyslog_chk, (int priority, int flag, const char *format, va_list list))
{
	(void)flag;
	cape_function_vsyslog(priority, format, list);
}

CAPE_FUNCTION(void, syslog, (int priority, const char *format, ...))
{
	va_list list;

	va_start(list, format);
	CAPE_CALL_STAND_IN(vsyslog, priority, format, list);
	va_end(list);
}

CAPE_FUNCTION(void, __syslog_chk, (int priority, int flag, const char *format, ...))
{
	va_list list;

	(void)flag;
	va_start(list, format);
	CAPE_CALL_STAND_IN(vsyslog, priority, format, list);
	va_end(list);
}

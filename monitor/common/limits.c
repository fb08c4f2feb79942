/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits.c - raises the limit of open files as far as CAPE needs it.
 */
#include "limits.h"

#include <sys/resource.h>

bool limits_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= LIMITS_FILES)
		return true;
	if (limit.rlim_max < LIMITS_FILES)
		return false;
	limit.rlim_cur = LIMITS_FILES;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

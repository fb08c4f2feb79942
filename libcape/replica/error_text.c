// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * error_text.c - strerror() and strsignal() with buffers that CAPE knows.
 *
 * The C library allocates a thread's buffers and keeps the pointers in its own record of the
 * thread, which differs between nodes: after a region each node would free another block.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include "system/libc.h"
#include "base/context.h"

/* In thread-local storage, of which each node has its own inside a region, outside the master's. */
static __thread char error_text[64];
static __thread char signal_text[64];

char *__strerror_r(int number, char *text, size_t size);

/* The C library's own name; the program's calls, not libcape's (libc.h). */
CAPE_FUNCTION(char *, strerror, (int number))
{
	return __strerror_r(number, error_text, sizeof(error_text));
}

CAPE_FUNCTION(char *, strsignal, (int number))
{
	const char *(*describe)(int) = (const char *(*)(int))dlsym(RTLD_NEXT, "sigdescr_np");
	const char *known = describe ? describe(number) : NULL;

	if (known)
		return (char *)known;
	if (number >= SIGRTMIN && number <= SIGRTMAX)
		snprintf(signal_text, sizeof(signal_text), "Real-time signal %d",
			 number - SIGRTMIN);
	else
		snprintf(signal_text, sizeof(signal_text), "Unknown signal %d", number);
	return signal_text;
}

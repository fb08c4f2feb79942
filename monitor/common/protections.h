/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protections.h - the ways to protect pages (--protect): their names, and their numbers, which are
 * places in this list.  What a way does is said by struct protection (capture/protect.h).
 */
#ifndef CAPE_PROTECTIONS_H
#define CAPE_PROTECTIONS_H

#define PROTECTIONS(PROTECTION)                                                                    \
	PROTECTION(driver)                                                                         \
	PROTECTION(notify)                                                                         \
	PROTECTION(mprotect)

#define PROTECTION_NUMBER(name) PROTECTION_##name,
#define PROTECTION_TEXT(name)	#name,

enum { PROTECTIONS(PROTECTION_NUMBER) PROTECTIONS_COUNT };

static inline const char *protection_name(int number)
{
	static const char *const name[] = {PROTECTIONS(PROTECTION_TEXT)};

	return name[number];
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libraries.h - which libraries a program would have here, without running it.
 */
#ifndef CAPE_CHECK_LIBRARIES_H
#define CAPE_CHECK_LIBRARIES_H

/*
 * The lines in which the dynamic linker says so, as ldd(1) prints them, for the program PATH; to be
 * freed, or NULL: it is linked statically, or is no program, or there is no memory.
 */
char *libraries_of(const char *path);

#endif

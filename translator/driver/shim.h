/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shim.h - a folder with the names of compilers, for build systems in which these are written. */
#ifndef CAPE_TRANSLATOR_SHIM_H
#define CAPE_TRANSLATOR_SHIM_H

/*
 * Makes FOLDER, if it is not there, and in it gcc, cc and clang, as many as are found in PATH; each
 * calls cape-cc, which has the PATH OWN, with the compiler that it stands for.  The exit status;
 * a message was printed.
 */
int shim_make(const char *folder, const char *own);

#endif

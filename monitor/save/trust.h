/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trust.h - whether somebody else could change what lies in a folder: what a saved run holds is
 * executed with the rights of whoever goes on from it.
 *
 * Trusted is what belongs to the caller or to root, and can be written to by nobody else, with all
 * folders and links on the way there; what is trusted stays where it is, and what it is.
 */
#ifndef CAPE_SAVE_TRUST_H
#define CAPE_SAVE_TRUST_H

#include <stdbool.h>
#include <stddef.h>

#define TRUST_WHY_SIZE 640

/*
 * Whether PATH, if it is there, can be trusted; else WHY names what cannot, with owner and mode.
 * What cannot be looked at is no matter here: whoever uses it gets the error.
 */
bool trust_path(const char *path, char why[TRUST_WHY_SIZE]);

/* The same of the set PATH, the sets that it goes on from, and all of their files. */
bool trust_set(const char *path, char why[TRUST_WHY_SIZE]);

#endif

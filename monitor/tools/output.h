/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - standard output goes to a file that has its name only once it is whole.
 */
#ifndef CAPE_OUTPUT_H
#define CAPE_OUTPUT_H

#include <stdbool.h>

/*
 * Standard output goes to a new file beside NAME, for its owner only; to NAME itself if that is
 * there and no ordinary file.  0 or an errno.
 */
int output_open(const char *name);

/* Gives the file its name, or removes it, unless WELL.  0 or an errno; then it is removed. */
int output_close(bool well);

#endif

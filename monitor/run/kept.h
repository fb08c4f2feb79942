/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept.h - the folder of --save-checkpoints.
 */
#ifndef CAPE_RUN_KEPT_H
#define CAPE_RUN_KEPT_H

#include <stdbool.h>

/*
 * Makes the folder *PATH, unless it is there, and holds no checkpoints yet; *PATH becomes its
 * absolute path, to be freed.  False: the user was told why not.
 */
bool kept_prepare(const char **path);

#endif

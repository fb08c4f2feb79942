/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * random_device.h - /dev/urandom and /dev/random, as sequential code reads them.
 */
#ifndef CAPE_RANDOM_DEVICE_H
#define CAPE_RANDOM_DEVICE_H

#include "base/context.h"

bool cape_is_random_device(int directory, const char *path);

/*
 * A descriptor of a file in memory with random bytes that node 0 has drawn, the same on every
 * node: 256 KB, behind which the file ends.  Or -1.
 */
int cape_random_device(struct cape_runtime *runtime);

#endif

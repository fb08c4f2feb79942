/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* opened.h - regions of libraries that the program opens itself, by dlopen(). */
#ifndef CAPE_OPENED_H
#define CAPE_OPENED_H

#include "base/context.h"

/* Ends the run if PLACE, where an active region begins, is in such a library. */
void cape_opened_refuse(struct cape_runtime *runtime, const struct cape_place *place);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * thread_storage.h - which loaded objects have threadprivate variables.
 */
#ifndef CAPE_THREAD_STORAGE_H
#define CAPE_THREAD_STORAGE_H

#include <link.h>
#include <stdbool.h>

/* Whether a source of the object at INFO has them (cape_threadprivate.h). */
bool cape_has_threadprivate(const struct dl_phdr_info *info);

#endif

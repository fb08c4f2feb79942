/* SPDX-License-Identifier: GPL-2.0-only */
/* What /dev/cape and its attach descriptors share. */
#ifndef _CAPE_DEVICE_H
#define _CAPE_DEVICE_H

#include "driver.h"

/* attach.c: requests */
int cape_attach(const struct cape_attach *attach);

/* watch.c: letting go when the process or its tracer ends */
int cape_shortage_init(void);
void cape_shortage_exit(void);
void cape_watch_init(struct cape_process *process);
void cape_watch_exit(struct cape_process *process);
void cape_watch_lock(struct cape_process *process);
void cape_let_go(struct cape_process *process);
void cape_let_go_for_good(struct cape_process *process);

/* debug.c: files in debugfs */
void cape_debug_init(void);
void cape_debug_exit(void);
void cape_debug_add(struct cape_process *process);
void cape_debug_remove(struct cape_process *process);

#endif /* _CAPE_DEVICE_H */

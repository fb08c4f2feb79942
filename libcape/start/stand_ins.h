/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stand_ins.h - on which stack the functions run that stand in for the C library's.
 */
#ifndef CAPE_STAND_INS_H
#define CAPE_STAND_INS_H

#include "base/context.h"

/* The linker lists them. */
extern struct cape_stand_in __start_cape_stand_ins[], __stop_cape_stand_ins[];

/* On nodes, now that there is a stack apart, almost all run there. */
void cape_stand_ins_choose(struct cape_runtime *runtime);

#endif

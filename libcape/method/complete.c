// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * complete.c - method complete: a checkpoint holds all memory that the process can write;
 * the monitor copies it, and here it is compared with what it was.
 */
#include "base/method.h"
#include "memory/captured.h"
#include "method/locking.h"

const struct cape_method cape_method_complete = {
	.base = &cape_base_captured,
	.takes_own = true,
	.by_page = true,
	.start = cape_locking_start,
	.enter = cape_locking_enter,
	.lock = cape_lock_everything,
	.save = cape_locking_save,
	.generate = cape_locking_generate_everything,
	.take_registers = cape_locking_take_registers,
};

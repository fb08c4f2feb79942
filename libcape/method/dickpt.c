// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * dickpt.c - method dickpt: the monitor
 * captures every page of the process that is written to.
 */
#include "base/method.h"
#include "memory/captured.h"
#include "method/locking.h"

const struct cape_method cape_method_dickpt = {
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

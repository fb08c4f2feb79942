/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.h - what a run that has failed died of, as far as it could go on without anybody's help.
 */
#ifndef CAPE_COMMON_FAULT_H
#define CAPE_COMMON_FAULT_H

#include <stdint.h>

enum fault_kind {
	FAULT_NONE, /* of what the program did, or the user is to mend */
	FAULT_DIED, /* a process of it was killed, or a connection broke */
	FAULT_LOST, /* HOST does not answer any more */
	FAULT_SET,  /* what it was to go on from is damaged, */
	FAULT_AWAY, /* or lies on machines that have no part in the run */
	FAULT_LATE, /* it has not started in time */
};

#define FAULT_HOST 65 /* bytes of a host's name, with its 0 */

struct fault {
	uint32_t kind; /* enum fault_kind */
	char host[FAULT_HOST];
};

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reduction_element.h - an element of a message's section of reductions.
 */
#ifndef CAPE_REDUCTION_ELEMENT_H
#define CAPE_REDUCTION_ELEMENT_H

#include <stdint.h>

/* What stands before the values, which are padded to 8 bytes. */
struct cape_reduction_element {
	uint64_t address;
	uint64_t count;
	uint64_t size;	  /* of one value */
	uint64_t combine; /* the program's own function, or 0: OP and TYPE say how */
	uint32_t op;
	uint32_t type;
};

#endif

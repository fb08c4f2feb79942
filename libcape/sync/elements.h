/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * elements.h - operator elements: atomic updates whose results nobody has asked for yet.
 *
 * An element is what this node has added to (or multiplied, ...) a shared variable since the
 * last sync point.  Memory shows the sum, so that this node sees its own updates; what memory
 * would be without the element is kept beside it, and put back ("lifted") whenever memory is
 * compared with the twin or entries of the log are applied.
 */
#ifndef CAPE_ELEMENTS_H
#define CAPE_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cape.h"

struct cape_runtime;

#define CAPE_ELEMENTS_LIMIT (1ul << 20) /* beyond, they are settled at once */
#define CAPE_ELEMENT_SIZE   32		/* of the largest value */

struct cape_element {
	uint64_t address;
	enum cape_operator op;
	enum cape_type type;
	uint32_t size; /* of one value */
	bool held;     /* the operand counts; else the program has assigned the variable since */
	unsigned char operand[CAPE_ELEMENT_SIZE];
	unsigned char before[CAPE_ELEMENT_SIZE]; /* memory without the element */
	unsigned char shown[CAPE_ELEMENT_SIZE];	 /* memory with it */
};

struct cape_elements {
	struct cape_element *element;
	size_t count;
	uint32_t *slot;	 /* hash table: number of an element plus 1, or 0 */
	size_t capacity; /* of the table in use, a power of two */
	uint64_t since;	 /* time-stamp counter when the first of them was made */
};

/* Takes the elements out of memory, and puts them back onto what memory is then. */
void cape_elements_lift(struct cape_runtime *runtime);
void cape_elements_put_back(struct cape_runtime *runtime);

/* Memory stays what it shows; there are no elements any more. */
void cape_elements_forget(struct cape_runtime *runtime);

/*
 * Before a sync point: hands the elements over to the reductions, and takes them out of memory.
 * In a program that could wait for them elsewhere meanwhile, they are settled instead.
 */
void cape_elements_sync(struct cape_runtime *runtime);

/* What nodes do at an atomic update whose result nobody asks for (openmp/constructs.h). */
void cape_node_atomic_element(volatile void *variable, enum cape_operator op, enum cape_type type,
			      const volatile void *value);

#endif

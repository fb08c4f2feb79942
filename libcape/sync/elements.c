// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * elements.c - operator elements of atomic updates: no message until a sync point.
 */
#include "races/check.h"
#include "sync/elements.h"

#include <string.h>
#include "checkpoint/reduction.h"
#include "sync/reduction_list.h"
#include "base/context.h"
#include "memory/shared.h"
#include "sync/log.h"
#include "base/ordering.h"

static void start(struct cape_runtime *runtime)
{
	struct cape_elements *elements = runtime->elements;

	elements->element =
		cape_must_reserve(runtime, CAPE_ELEMENTS_LIMIT * sizeof(*elements->element));
	elements->slot =
		cape_must_reserve(runtime, 4 * CAPE_ELEMENTS_LIMIT * sizeof(*elements->slot));
}

CAPE_PART_OF_NODES(elements, start);

#define FIRST_CAPACITY 1024ul
/* Ticks of the time-stamp counter that an element waits where others may look for it: some ms. */
#define SETTLE_AFTER 10000000u

static void *memory_of(const struct cape_element *element)
{
	return (void *)(uintptr_t)element->address;
}

/* Whether memory is what the element made it. */
static bool is_shown(const struct cape_element *element)
{
	return element->held && memcmp(memory_of(element), element->shown, element->size) == 0;
}

static void show(struct cape_element *element)
{
	cape_reduction_apply(element->op, element->type, memory_of(element), element->operand, 1);
	memcpy(element->shown, memory_of(element), element->size);
}

/* Memory is what the program assigned, or what was there at first. */
static void begin(struct cape_element *element, const void *value)
{
	memcpy(element->before, memory_of(element), element->size);
	memcpy(element->operand, value, element->size);
	element->held = true;
	show(element);
}

static void add(struct cape_element *element, const void *value)
{
	cape_reduction_apply(element->op, element->type, element->operand, value, 1);
	cape_reduction_apply(element->op, element->type, memory_of(element), value, 1);
	memcpy(element->shown, memory_of(element), element->size);
}

static size_t hash(uint64_t address, size_t capacity)
{
	return (size_t)(address * 0x9e3779b97f4a7c15ull >> 32) & (capacity - 1);
}

/* The slot of ADDRESS, or the free one where it belongs. */
static uint32_t *find(const struct cape_elements *elements, uint64_t address)
{
	size_t at = hash(address, elements->capacity);

	while (elements->slot[at] && elements->element[elements->slot[at] - 1].address != address)
		at = (at + 1) & (elements->capacity - 1);
	return &elements->slot[at];
}

/* At most half of the table is in use. */
static void grow(struct cape_elements *elements)
{
	memset(elements->slot, 0, elements->capacity * sizeof(*elements->slot));
	elements->capacity = elements->capacity ? 2 * elements->capacity : FIRST_CAPACITY;
	for (size_t i = 0; i < elements->count; i++)
		*find(elements, elements->element[i].address) = (uint32_t)i + 1;
}

static void clear(struct cape_elements *elements)
{
	elements->count = 0;
	memset(elements->slot, 0, elements->capacity * sizeof(*elements->slot));
	elements->capacity = FIRST_CAPACITY;
}

static struct cape_element *append(struct cape_elements *elements, uint64_t address,
				   enum cape_operator op, enum cape_type type)
{
	struct cape_element *element = &elements->element[elements->count++];

	if (elements->count == 1)
		elements->since = __builtin_ia32_rdtsc();
	element->address = address;
	element->op = op;
	element->type = type;
	element->size = (uint32_t)cape_type_size(type);
	if (2 * elements->count > elements->capacity)
		grow(elements);
	else
		*find(elements, address) = (uint32_t)elements->count;
	return element;
}

/* False: the variable is this node's own. */
static bool update(struct cape_runtime *runtime, uint64_t address, enum cape_operator op,
		   enum cape_type type, const void *value)
{
	struct cape_elements *elements = runtime->elements;
	uint32_t number = elements->capacity ? *find(elements, address) : 0;
	struct cape_element *element = elements->element + number - 1; /* if NUMBER is not 0 */

	if (number && element->op == op && element->type == type) {
		if (is_shown(element))
			add(element, value);
		else
			begin(element, value);
		return true;
	}
	if (!number && !cape_shared_holds(runtime, address, cape_type_size(type)))
		return false;
	if (number || elements->count == CAPE_ELEMENTS_LIMIT)
		cape_log_settle_elements(runtime);
	element = append(elements, address, op, type);
	begin(element, value);
	return true;
}

CAPE_EXPORT void cape_adds(void)
{
	cape_runtime_get()->adds = true;
}

void cape_node_atomic_element(volatile void *variable, enum cape_operator op, enum cape_type type,
			      const volatile void *value)
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_check_access(runtime, (uint64_t)(uintptr_t)variable, cape_type_size(type),
			  CAPE_CONFLICT_WRITE | CAPE_CONFLICT_ATOMIC, __builtin_return_address(0));
	if (!cape_is_concurrent(runtime)) {
		cape_reduction_apply(op, type, (void *)variable, (const void *)value, 1);
		return;
	}
	runtime->ordering->speak(runtime);
	if (!update(runtime, (uint64_t)(uintptr_t)variable, op, type, (const void *)value))
		cape_reduction_apply(op, type, (void *)variable, (const void *)value, 1);
	else if (runtime->takes && __builtin_ia32_rdtsc() - runtime->elements->since > SETTLE_AFTER)
		cape_log_settle_elements(runtime);
	runtime->ordering->be_silent(runtime);
}

void cape_elements_lift(struct cape_runtime *runtime)
{
	for (size_t i = 0; i < runtime->elements->count; i++) {
		struct cape_element *element = &runtime->elements->element[i];

		element->held = is_shown(element);
		if (element->held)
			memcpy(memory_of(element), element->before, element->size);
	}
}

void cape_elements_put_back(struct cape_runtime *runtime)
{
	for (size_t i = 0; i < runtime->elements->count; i++) {
		struct cape_element *element = &runtime->elements->element[i];

		if (!element->held)
			continue;
		memcpy(element->before, memory_of(element), element->size);
		show(element);
	}
}

void cape_elements_forget(struct cape_runtime *runtime)
{
	clear(runtime->elements);
}

void cape_elements_sync(struct cape_runtime *runtime)
{
	struct cape_elements *elements = runtime->elements;

	if (!elements->count)
		return;
	/* Another node may wait for an element while this one waits at the sync point. */
	if (runtime->takes) {
		cape_log_settle_elements(runtime);
		return;
	}
	cape_elements_lift(runtime);
	for (size_t i = 0; i < elements->count; i++) {
		struct cape_element *element = &elements->element[i];

		if (element->held)
			cape_reduction_list_add(runtime, element->operand, memory_of(element),
						element->op, element->type, 1);
	}
	clear(elements);
}

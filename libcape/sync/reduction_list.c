/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reduction_list.c - typed reduction elements on their way through a sync point.
 */
#include "sync/reduction_list.h"

#include <dlfcn.h>
#include <string.h>
#include "base/way.h"
#include "checkpoint/reduction.h"
#include "heap/heap_lock.h"
#include "message/reduction_element.h"
#include "sync/sync_point.h"
#include "memory/directory.h"
#include "need/need.h"

/* Appends ELEMENT with its VALUES to LIST, of which *SIZE bytes are in use. */
static void append(struct cape_runtime *runtime, unsigned char *list, size_t *size,
		   const struct cape_reduction_element *element, const void *values)
{
	uint64_t length = element->count * element->size;
	uint64_t bytes = cape_message_padded(length);

	if (sizeof(*element) + bytes > CAPE_REDUCTION_LIST_LIMIT - *size)
		cape_fail(runtime, 0, "reductions of more than %llu bytes at one sync point",
			  CAPE_REDUCTION_LIST_LIMIT);
	memcpy(list + *size, element, sizeof(*element));
	memcpy(list + *size + sizeof(*element), values, length);
	*size += sizeof(*element) + bytes;
}

static void add(struct cape_runtime *runtime, const struct cape_reduction_element *element,
		const void *values)
{
	append(runtime, runtime->sync->reduction, &runtime->sync->reduction_size, element, values);
}

void cape_reduction_list_add(struct cape_runtime *runtime, const void *values, void *original,
			     enum cape_operator op, enum cape_type type, size_t count)
{
	struct cape_reduction_element element = {.address = (uint64_t)(uintptr_t)original,
						 .count = count,
						 .size = cape_type_size(type),
						 .op = op,
						 .type = type};

	add(runtime, &element, values);
}

void cape_reduction_list_add_user(struct cape_runtime *runtime, const void *values, void *original,
				  size_t size, size_t count, cape_combine combine)
{
	struct cape_reduction_element element = {.address = (uint64_t)(uintptr_t)original,
						 .count = count,
						 .size = size,
						 .combine = (uint64_t)(uintptr_t)combine};

	add(runtime, &element, values);
}

/*
 * The program's function runs on every node alike, like sequential code: what it allocates comes
 * from the arena of such code.  It wants aligned values: this node's own list was sent, and has
 * room for them.
 */
static void combine_all(struct cape_runtime *runtime, const struct cape_reduction_element *element,
			const unsigned char *values)
{
	cape_combine combine = (cape_combine)(uintptr_t)element->combine;
	unsigned char *out = (unsigned char *)(uintptr_t)element->address;
	unsigned char *in = runtime->sync->reduction;
	Dl_info info;

	if (!dladdr((const void *)(uintptr_t)element->combine, &info))
		cape_fail(runtime, element->address, "the reduction of @ is malformed");
	memcpy(in, values, element->count * element->size);
	cape_heap_lock_parallel(runtime, false);
	for (uint64_t i = 0; i < element->count; i++)
		combine(out + i * element->size, in + i * element->size);
	cape_heap_lock_parallel(runtime, true);
}

static void apply_part(struct cape_runtime *runtime, struct cape_area *area,
		       const struct cape_reduction_element *element, const unsigned char *values,
		       bool keep)
{
	uint64_t length = element->count * element->size;

	/* The master's results are final. */
	if (runtime->exchange->by_master)
		memcpy((void *)(uintptr_t)element->address, values, length);
	else if (element->combine)
		combine_all(runtime, element, values);
	else
		cape_reduction_apply((enum cape_operator)element->op, (enum cape_type)element->type,
				     (void *)(uintptr_t)element->address, values, element->count);
	cape_area_settled(area, element->address, length, keep);
}

/* How many of ELEMENT's values are here, from the first on. */
static uint64_t count_here(const struct cape_area *area,
			   const struct cape_reduction_element *element)
{
	uint64_t end = element->address + element->count * element->size;
	struct cape_range absent = cape_directory_next(
		area, (struct cape_range){element->address, end}, CAPE_PAGES_ABSENT);

	if (absent.start >= end)
		return element->count;
	return absent.start > element->address ? (absent.start - element->address) / element->size
					       : 0;
}

/* How many are not here, from the first one, which is not, on. */
static uint64_t count_absent(const struct cape_area *area,
			     const struct cape_reduction_element *element)
{
	uint64_t end = element->address + element->count * element->size;
	struct cape_range absent = cape_directory_next(
		area, (struct cape_range){element->address, end}, CAPE_PAGES_ABSENT);

	return absent.end >= end ? element->count : (absent.end - element->address) / element->size;
}

/* Those who hold its pages do the same; whoever does not, fetches the result. */
static void apply_element(struct cape_runtime *runtime,
			  const struct cape_reduction_element *element, const unsigned char *values,
			  bool keep)
{
	struct cape_area *area =
		cape_areas_find(runtime->areas, element->address, element->count * element->size);
	struct cape_reduction_element left = *element, part;

	if (!area)
		cape_fail(runtime, element->address,
			  "a reduction variable is not in shared memory");
	if (runtime->way->postpones(area, element->address, element->size, element->count,
				    element->combine)) {
		append(runtime, runtime->sync->postponed, &runtime->sync->postponed_size, element,
		       values);
		return;
	}
	runtime->sync->combined |= element->combine != 0;
	while (left.count) {
		part = left;
		part.count = count_here(area, &left);
		if (part.count)
			apply_part(runtime, area, &part, values, keep);
		else
			part.count = count_absent(area, &left);
		left.count -= part.count;
		left.address += part.count * part.size;
		values += part.count * part.size;
	}
}

/* Bytes of the element's values; 0 when it is malformed or longer than LEFT. */
static uint64_t values_size(const struct cape_reduction_element *element, uint64_t left)
{
	uint64_t size;

	if (!element->combine && (element->type > CAPE_COMPLEX_LONG_DOUBLE ||
				  element->size != cape_type_size((enum cape_type)element->type)))
		return 0;
	if (__builtin_mul_overflow(element->count, element->size, &size) || size > left ||
	    cape_message_padded(size) > left)
		return 0;
	return size;
}

static void apply_node(struct cape_runtime *runtime, unsigned node, bool keep)
{
	const struct cape_message *message = cape_exchange_message(runtime, node);
	const unsigned char *at = cape_message_get(message, CAPE_SECTION_REDUCTION);
	uint64_t left = message->size[CAPE_SECTION_REDUCTION];

	while (left) {
		struct cape_reduction_element element;
		uint64_t size = 0;

		if (left >= sizeof(element)) {
			memcpy(&element, at, sizeof(element));
			left -= sizeof(element);
			size = values_size(&element, left);
		}
		if (!size)
			cape_fail(runtime, 0, "the reductions of node %u are malformed", node);
		apply_element(runtime, &element, at + sizeof(element), keep);
		at += sizeof(element) + cape_message_padded(size);
		left -= cape_message_padded(size);
	}
}

static uint64_t padded_size(const struct cape_reduction_element *element)
{
	return cape_message_padded(element->count * element->size);
}

void cape_reduction_list_apply(struct cape_runtime *runtime, bool keep)
{
	for (unsigned node = 0; node < cape_exchange_senders(runtime); node++)
		apply_node(runtime, node, keep);
}

static void apply_postponed(struct cape_runtime *runtime, bool keep)
{
	const struct cape_sync *sync = runtime->sync;
	struct cape_reduction_element element;

	runtime->way->begin_alike(runtime);
	for (uint64_t at = 0; at < sync->postponed_size;
	     at += sizeof(element) + padded_size(&element)) {
		memcpy(&element, sync->postponed + at, sizeof(element));
		cape_need_touch((void *)(uintptr_t)element.address, element.count * element.size);
		apply_part(runtime,
			   cape_areas_find(runtime->areas, element.address,
					   element.count * element.size),
			   &element, sync->postponed + at + sizeof(element), keep);
	}
	runtime->way->end_alike(runtime);
}

bool cape_reduction_list_finish(struct cape_runtime *runtime, bool keep)
{
	struct cape_sync *sync = runtime->sync;
	bool changed = sync->postponed_size || sync->combined;

	if (sync->postponed_size)
		apply_postponed(runtime, keep);
	sync->postponed_size = 0;
	sync->combined = false;
	return changed;
}

/* They were applied, and so are well-formed. */
static void add_results(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	struct cape_reduction_element element;

	for (uint64_t at = 0; at < size; at += sizeof(element) + padded_size(&element)) {
		memcpy(&element, from + at, sizeof(element));
		add(runtime, &element, (const void *)(uintptr_t)element.address);
	}
}

/* Whether two lists are of the same variables. */
static bool same_variables(const unsigned char *a, const unsigned char *b, uint64_t size)
{
	for (uint64_t at = 0; at < size;) {
		struct cape_reduction_element element;

		if (memcmp(a + at, b + at, sizeof(element)) != 0)
			return false;
		memcpy(&element, a + at, sizeof(element));
		at += sizeof(element) + padded_size(&element);
	}
	return true;
}

void cape_reduction_list_results(struct cape_runtime *runtime)
{
	const struct cape_message *master = cape_exchange_message(runtime, 0);
	const unsigned char *first = cape_message_get(master, CAPE_SECTION_REDUCTION);
	uint64_t first_size = master->size[CAPE_SECTION_REDUCTION];

	runtime->sync->reduction_size = 0;
	for (unsigned node = 0; node < cape_exchange_senders(runtime); node++) {
		const struct cape_message *message = cape_exchange_message(runtime, node);
		const unsigned char *list = cape_message_get(message, CAPE_SECTION_REDUCTION);
		uint64_t size = message->size[CAPE_SECTION_REDUCTION];

		/* As a rule all nodes reduce the same. */
		if (node == 0 || size != first_size || !same_variables(list, first, size))
			add_results(runtime, list, size);
	}
}

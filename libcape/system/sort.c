// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sort.c - a heap sort; what is in order already, as most lists are, is only looked at.
 */
#include "system/sort.h"

#include <stdbool.h>
#include <string.h>

struct array {
	char *start;
	size_t size;
	int (*compare)(const void *, const void *);
};

static void *at(const struct array *array, size_t index)
{
	return array->start + index * array->size;
}

static void swap(const struct array *array, size_t one, size_t other)
{
	char element[CAPE_SORT_SIZE];

	memcpy(element, at(array, one), array->size);
	memcpy(at(array, one), at(array, other), array->size);
	memcpy(at(array, other), element, array->size);
}

/* The element at INDEX goes down as far as one of those below is larger. */
static void sink(const struct array *array, size_t index, size_t count)
{
	for (size_t below; (below = 2 * index + 1) < count; index = below) {
		if (below + 1 < count && array->compare(at(array, below), at(array, below + 1)) < 0)
			below++;
		if (array->compare(at(array, index), at(array, below)) >= 0)
			return;
		swap(array, index, below);
	}
}

static bool is_sorted(const struct array *array, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (array->compare(at(array, i - 1), at(array, i)) > 0)
			return false;
	return true;
}

void cape_sort(void *start, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	const struct array array = {start, size, compare};

	if (is_sorted(&array, count))
		return;
	for (size_t i = count / 2; i-- > 0;)
		sink(&array, i, count);
	for (size_t end = count; end-- > 1;) {
		swap(&array, 0, end);
		sink(&array, 0, end);
	}
}

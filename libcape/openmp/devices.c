/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devices.c - the routines of devices: there is none but the host, number 0.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "omp.h"

#include "base/context.h"

CAPE_EXPORT_IS(int, omp_is_initial_device, (void), 1)
CAPE_EXPORT_IS(int, omp_get_num_devices, (void), 0)
CAPE_EXPORT_IS(int, omp_get_initial_device, (void), 0)
CAPE_EXPORT_IS(int, omp_get_device_num, (void), 0)
CAPE_EXPORT_IS(int, omp_get_default_device, (void), 0)

CAPE_EXPORT void omp_set_default_device(int device)
{
	(void)device;
}

static bool is_host(int device)
{
	return device == omp_get_initial_device() || device == omp_initial_device;
}

CAPE_EXPORT_IS(void *, omp_target_alloc, (size_t size, int device),
	       is_host(device) ? malloc(size) : NULL)

CAPE_EXPORT void omp_target_free(void *block, int device)
{
	if (is_host(device))
		free(block);
}

CAPE_EXPORT_IS(int, omp_target_is_present, (const void *pointer, int device),
	       !pointer || is_host(device))

CAPE_EXPORT int omp_target_is_accessible(const void *pointer, size_t size, int device)
{
	(void)pointer, (void)size;
	return is_host(device);
}

CAPE_EXPORT_IS(void *, omp_get_mapped_ptr, (const void *pointer, int device),
	       is_host(device) ? (void *)(uintptr_t)pointer : NULL)

CAPE_EXPORT int omp_target_memcpy(void *to, const void *from, size_t length, size_t to_offset,
				  size_t from_offset, int to_device, int from_device)
{
	if (!is_host(to_device) || !is_host(from_device))
		return EINVAL;
	memcpy((char *)to + to_offset, (const char *)from + from_offset, length);
	return 0;
}

/* One side of a copy of a block out of an array. */
struct side {
	char *start;
	const size_t *offsets, *dimensions;
};

/* The bytes of one index of the first of COUNT dimensions, or 0 if they are too many. */
static size_t slice_of(const struct side *side, size_t element_size, int count)
{
	size_t bytes = element_size;

	for (int i = 1; i < count; i++)
		if (__builtin_mul_overflow(bytes, side->dimensions[i], &bytes))
			return 0;
	return bytes;
}

static void enter(struct side *side, size_t slice)
{
	side->start += slice * *side->offsets++;
	side->dimensions++;
}

static int copy_block(struct side to, struct side from, size_t element_size, int count,
		      const size_t *volume)
{
	size_t to_slice = slice_of(&to, element_size, count);
	size_t from_slice = slice_of(&from, element_size, count), length;

	if (!to_slice || !from_slice || __builtin_mul_overflow(element_size, *volume, &length))
		return EINVAL;
	enter(&to, to_slice);
	enter(&from, from_slice);
	if (count == 1) {
		memcpy(to.start, from.start, length);
		return 0;
	}
	for (size_t i = 0; i < *volume; i++) {
		int error = copy_block(to, from, element_size, count - 1, volume + 1);

		if (error)
			return error;
		to.start += to_slice;
		from.start += from_slice;
	}
	return 0;
}

CAPE_EXPORT int omp_target_memcpy_rect(void *to, const void *from, size_t element_size,
				       int dimensions, const size_t *volume,
				       const size_t *to_offsets, const size_t *from_offsets,
				       const size_t *to_dimensions, const size_t *from_dimensions,
				       int to_device, int from_device)
{
	/* It is asked how many dimensions are possible. */
	if (!to && !from)
		return INT_MAX;
	if (!is_host(to_device) || !is_host(from_device) || dimensions < 1)
		return EINVAL;
	return copy_block((struct side){to, to_offsets, to_dimensions},
			  (struct side){(char *)(uintptr_t)from, from_offsets, from_dimensions},
			  element_size, dimensions, volume);
}

CAPE_EXPORT int omp_target_memcpy_async(void *to, const void *from, size_t length, size_t to_offset,
					size_t from_offset, int to_device, int from_device,
					int objects, omp_depend_t *list)
{
	(void)objects, (void)list;
	return omp_target_memcpy(to, from, length, to_offset, from_offset, to_device, from_device);
}

CAPE_EXPORT int omp_target_memcpy_rect_async(void *to, const void *from, size_t element_size,
					     int dimensions, const size_t *volume,
					     const size_t *to_offsets, const size_t *from_offsets,
					     const size_t *to_dimensions,
					     const size_t *from_dimensions, int to_device,
					     int from_device, int objects, omp_depend_t *list)
{
	(void)objects, (void)list;
	return omp_target_memcpy_rect(to, from, element_size, dimensions, volume, to_offsets,
				      from_offsets, to_dimensions, from_dimensions, to_device,
				      from_device);
}

CAPE_EXPORT int omp_target_associate_ptr(const void *host, const void *pointer, size_t size,
					 size_t offset, int device)
{
	(void)host, (void)pointer, (void)size, (void)offset, (void)device;
	return EINVAL;
}

CAPE_EXPORT int omp_target_disassociate_ptr(const void *pointer, int device)
{
	(void)pointer, (void)device;
	return EINVAL;
}

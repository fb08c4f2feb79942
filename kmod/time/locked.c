// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading memory as it was when it was locked, or at the beginning of another epoch, whatever the
 * process does meanwhile, and finding out where there was any: the attach descriptor is a sparse
 * file of it.
 *
 * Nothing of the process is needed for it: every page of its own that it had then has a twin, the
 * others were zero or are in the file that was mapped there.
 */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include "time/time.h"

/* From the file, or zeros. */
static int read_mapping(const struct cape_mapping *mapping, unsigned long address, u64 buffer,
			size_t length)
{
	struct page *page;
	int err;

	if (cape_is_awaited(mapping, address))
		return -EFAULT;
	if (!mapping->file)
		return clear_user(u64_to_user_ptr(buffer), length) ? -EFAULT : 0;
	page = cape_read_file_page(mapping->file, cape_file_offset(mapping, address));
	if (IS_ERR(page))
		return PTR_ERR(page);
	err = cape_copy_to_caller(buffer, page, offset_in_page(address), length);
	__free_page(page);
	return err;
}

/* Bytes of one page. */
static int read_page(const struct cape_past *past, unsigned long address, u64 buffer,
		     size_t length)
{
	const struct cape_mapping *mapping;
	void *state;

	/* What was mapped later may have got a twin by a rollback. */
	mapping = cape_find_mapping(past->mappings, address);
	if (!mapping || !cape_in_ranges(past->snapshot, address))
		return -EFAULT;
	state = cape_past_state(past, cape_find_block(past->snapshot, address), address);
	if (!xa_is_value(state))
		return cape_copy_to_caller(buffer, state, offset_in_page(address), length);
	if (state == CAPE_WAS_OPEN)
		return -ESTALE;
	if (state == CAPE_WAS_POISONED)
		return -EHWPOISON;
	return read_mapping(mapping, address, buffer, length);
}

/* The memory of then, at the beginning of @epoch: see CAPE_READ_LOCKED at struct cape_access. */
int cape_read_locked(struct cape_process *process, u64 epoch, struct cape_access *access)
{
	struct cape_past past;
	u64 end;
	int err;

	access->done = 0;
	err = cape_look_at_epoch(process, epoch, &past);
	if (err)
		return err;
	if (check_add_overflow(access->address, access->length, &end) ||
	    end > process->mm->task_size)
		return -EINVAL;
	while (!err && access->done < access->length) {
		u64 address = access->address + access->done;
		size_t length = min_t(u64, access->length - access->done,
				      PAGE_SIZE - offset_in_page(address));

		err = read_page(&past, address, access->buffer + access->done, length);
		if (!err)
			access->done += length;
		if (fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	process->statistics.bytes_read += access->done;
	return err;
}

/* Is there anything but the zeros of memory that was never touched?  @end: until where it is so. */
static bool has_bytes(const struct cape_past *past, unsigned long address, unsigned long *end)
{
	const struct cape_block *block = cape_find_block(past->snapshot, address);
	bool data = cape_past_state(past, block, address) != CAPE_WAS_NONE;
	unsigned long at = (address & PAGE_MASK) + PAGE_SIZE;

	*end = min(*end, pmd_addr_end(address, *end));
	while (at < *end && (cape_past_state(past, block, at) != CAPE_WAS_NONE) == data)
		at += PAGE_SIZE;
	*end = min(*end, at);
	return data;
}

/* Is there more than a hole at @address?  @end: until where it is so; at first, where to end. */
static bool is_data(const struct cape_past *past, unsigned long address, unsigned long *end)
{
	const struct cape_mapping *mapping = cape_next_mapping(past->mappings, address);
	const struct cape_snapshot *snapshot = past->snapshot;
	u32 i = cape_first_range(snapshot, address);
	unsigned long start;

	if (i == snapshot->range_count || !mapping)
		return false;
	start = max_t(unsigned long, snapshot->ranges[i].start, mapping->start);
	if (address < start) {
		*end = min(*end, start);
		return false;
	}
	*end = min(*end, mapping->end);
	*end = min_t(unsigned long, *end, snapshot->ranges[i].start + snapshot->ranges[i].length);
	/* Where the file has holes is not asked for. */
	if (mapping->file)
		return true;
	start = cape_next_past(past, address, *end);
	if (start <= address)
		return has_bytes(past, address, end);
	*end = start;
	return false;
}

/**
 * cape_seek_locked() - lseek(2) in the memory of then
 * @process: its lock is held
 * @epoch: which, or CAPE_EPOCH_NEWEST
 * @address: where to begin
 * @data: SEEK_DATA, or else SEEK_HOLE
 *
 * Return: the first such address; -ENXIO if there is none, -ENODATA if no image is locked, -ENOENT
 * if the epoch has gone, -EINTR.
 */
loff_t cape_seek_locked(struct cape_process *process, u64 epoch, loff_t address, bool data)
{
	unsigned long at = address, end, limit = process->mm->task_size;
	struct cape_past past;
	int err;

	err = cape_look_at_epoch(process, epoch, &past);
	if (err)
		return err;
	if (address < 0)
		return -ENXIO;
	for (; at < limit; at = end) {
		end = limit;
		if (is_data(&past, at, &end) == data)
			return at;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	/* After the last byte there is a hole. */
	return data || address >= limit ? -ENXIO : limit;
}

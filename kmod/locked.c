// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading memory as it was when it was locked, whatever the process does meanwhile, and finding out
 * where there was any: the attach descriptor is a sparse file of it.
 *
 * Nothing of the process is needed for it: every page of its own that it had then has a twin, the
 * others were zero or are in the file that was mapped there.
 */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include "driver.h"

/* From the file, or zeros. */
static int read_mapping(const struct cape_mapping *mapping, unsigned long address, u64 buffer,
			size_t length)
{
	struct page *page;
	int err;

	if (!mapping->file)
		return clear_user(u64_to_user_ptr(buffer), length) ? -EFAULT : 0;
	page = cape_read_file_page(mapping->file, ((loff_t)mapping->offset << PAGE_SHIFT) +
				   ((address & PAGE_MASK) - mapping->start));
	if (IS_ERR(page))
		return PTR_ERR(page);
	err = cape_copy_to_caller(buffer, page, offset_in_page(address), length);
	__free_page(page);
	return err;
}

/* Bytes of one page. */
static int read_page(struct cape_snapshot *snapshot, unsigned long address, u64 buffer,
		     size_t length)
{
	struct cape_block *block = cape_find_block(snapshot, address);
	const struct cape_mapping *mapping;
	unsigned int index = cape_page_index(address);

	if (!cape_in_ranges(snapshot, address))
		return -EFAULT;
	if (block && test_bit(index, block->open))
		return -ESTALE;
	if (block && block->twin[index])
		return cape_copy_to_caller(buffer, block->twin[index], offset_in_page(address),
					   length);
	if (block && test_bit(index, block->poisoned))
		return -EHWPOISON;
	mapping = cape_find_mapping(snapshot, address);
	return mapping ? read_mapping(mapping, address, buffer, length) : -EFAULT;
}

/* The memory of then: see CAPE_READ_LOCKED at struct cape_access. */
int cape_read_locked(struct cape_process *process, struct cape_access *access)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	int err = 0;
	u64 end;

	access->done = 0;
	if (!snapshot)
		return -ENODATA;
	if (check_add_overflow(access->address, access->length, &end) ||
	    end > process->mm->task_size)
		return -EINVAL;
	while (!err && access->done < access->length) {
		u64 address = access->address + access->done;
		size_t length = min_t(u64, access->length - access->done,
				      PAGE_SIZE - offset_in_page(address));

		err = read_page(snapshot, address, access->buffer + access->done, length);
		if (!err)
			access->done += length;
		if (fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	process->statistics.bytes_read += access->done;
	return err;
}

/* Is there anything of @page but the zeros of memory that was never touched? */
static bool has_bytes(const struct cape_block *block, unsigned int index)
{
	return block->twin[index] || test_bit(index, block->open) ||
	       test_bit(index, block->poisoned);
}

/* In a block: are there bytes at @address?  @end becomes the address from which on it differs. */
static bool has_bytes_at(const struct cape_block *block, unsigned long address, unsigned long *end)
{
	unsigned int index = cape_page_index(address);
	bool data = has_bytes(block, index);

	for (address &= PAGE_MASK; address < *end; address += PAGE_SIZE, index++)
		if (index == CAPE_PAGES_PER_BLOCK || has_bytes(block, index) != data)
			*end = address;
	return data;
}

/* Is there more than a hole at @address?  @end: until where it is so; at first, where to end. */
static bool is_data(struct cape_snapshot *snapshot, unsigned long address, unsigned long *end)
{
	u32 i = cape_first_range(snapshot, address);
	const struct cape_mapping *mapping = cape_next_mapping(snapshot, address);
	unsigned long start;
	struct cape_block *block;

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
	block = cape_find_block(snapshot, address);
	if (block)
		return has_bytes_at(block, address, end);
	*end = cape_next_block(snapshot, address, *end);
	return false;
}

/**
 * cape_seek_locked() - lseek(2) in the memory of then
 * @process: its lock is held
 * @address: where to begin
 * @data: SEEK_DATA, or else SEEK_HOLE
 *
 * Return: the first such address; -ENXIO if there is none, -ENODATA if no image is locked, -EINTR.
 */
loff_t cape_seek_locked(struct cape_process *process, loff_t address, bool data)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	unsigned long at = address, end, limit = process->mm->task_size;

	if (!snapshot)
		return -ENODATA;
	if (address < 0)
		return -ENXIO;
	for (; at < limit; at = end) {
		end = limit;
		if (is_data(snapshot, at, &end) == data)
			return at;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	/* Behind the last byte there is a hole. */
	return data || address >= limit ? -ENXIO : limit;
}

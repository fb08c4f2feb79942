// SPDX-License-Identifier: GPL-2.0-only
/*
 * Twins that have changed.
 *
 * Nobody may write to a twin: whoever goes by the page table finds it read-only, and gets another
 * page.  So its sum stays what it was when it was taken, or somebody has gone round the page table.
 */
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include "driver.h"

static int deliver(struct cape_process *process, const struct cape_block *block,
		   unsigned long address, struct cape_check *check)
{
	struct cape_capture look = { .address = address, .flags = CAPE_CAPTURE_KEEP };
	u64 entry = check->pages + check->page_count * sizeof(struct cape_dirty);
	struct cape_dirty page = { .address = address };
	int err;

	err = cape_capture_page(process, &look);
	if (err)
		return err;
	page.twin_state = look.twin_state;
	if (test_bit(cape_page_index(address), block->pinned))
		page.flags = CAPE_DIRTY_PINNED;
	if (copy_to_user(u64_to_user_ptr(entry), &page, sizeof(page)))
		return -EFAULT;
	check->page_count++;
	return 0;
}

/* Returns 1 if there is no room for more, with check->cursor where to go on. */
static int check_block(struct cape_process *process, const struct cape_block *block,
		       unsigned long start, struct cape_check *check)
{
	unsigned int i;
	int err;

	for (i = 0; i < CAPE_PAGES_PER_BLOCK; i++) {
		unsigned long address = start + i * PAGE_SIZE;

		if (address < check->cursor || !block->twin[i])
			continue;
		if (!cape_has_changed(block, i)) {
			check->twin_count++;
			continue;
		}
		if (check->page_count == check->page_capacity) {
			check->cursor = address;
			return 1;
		}
		err = deliver(process, block, address, check);
		if (err)
			return err;
		check->twin_count++;
	}
	return 0;
}

/* Twins that have changed since they were taken: see struct cape_check. */
int cape_check(struct cape_process *process, struct cape_check *check)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	struct cape_block *block;
	unsigned long index;
	int err;

	if (!snapshot)
		return -ENODATA;
	if (!snapshot->check)
		return -EOPNOTSUPP;
	check->page_count = 0;
	check->twin_count = 0;
	xa_for_each_start(&snapshot->blocks, index, block, check->cursor >> PMD_SHIFT) {
		err = check_block(process, block, index << PMD_SHIFT, check);
		if (err)
			return min(err, 0);
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	check->cursor = CAPE_CURSOR_END;
	return 0;
}

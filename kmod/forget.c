// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks that keep no twins (CAPE_LOCK_NO_TWINS), but only tell which pages were written.
 *
 * A reference to each page is taken as in other locks: it is what makes the kernel give the process
 * another page at the first write, and what tells later, through forks, swap and moves, that this
 * was so.  A mark in the page table does not survive these.  Once the process has another page the
 * old one is of no use: it is given up, and a bit is left.
 *
 * No one is informed when that happens.  The page then belongs to the driver alone, however: its
 * references are the driver's own, and to count them takes no lock of the process's memory.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include "driver.h"

/* Leaves a mark in place of a twin. */
void cape_forget_twin(struct cape_snapshot *snapshot, struct cape_block *block, unsigned int index)
{
	struct page *twin = block->twin[index];

	set_bit(index, block->replaced);
	WRITE_ONCE(block->twin[index], NULL);
	cape_uncharge_twins(snapshot, 1);
	put_page(twin);
}

/* How many twins from @index on are parts of one huge page; those that are not huge are one. */
static unsigned int count_parts(const struct cape_block *block, unsigned int index)
{
	struct folio *folio = page_folio(block->twin[index]);
	unsigned int end = index + 1;

	while (folio_test_large(folio) && end < CAPE_PAGES_PER_BLOCK && block->twin[end] &&
	       page_folio(block->twin[end]) == folio)
		end++;
	return end - index;
}

static u64 forget_in_block(struct cape_snapshot *snapshot, struct cape_block *block)
{
	unsigned int index = 0, parts;
	u64 count = 0;

	while (index < CAPE_PAGES_PER_BLOCK) {
		if (!block->twin[index]) {
			index++;
			continue;
		}
		parts = count_parts(block, index);
		/* If someone else is about to look at it, there is another time. */
		if (folio_ref_count(page_folio(block->twin[index])) != parts) {
			index += parts;
			continue;
		}
		for (count += parts; parts; parts--)
			cape_forget_twin(snapshot, block, index++);
	}
	return count;
}

/**
 * cape_forget_twins() - gives up the twins that only the driver has still
 * @snapshot: the locked image, with no_twins; the lock of its process is held
 *
 * Return: how many these were.
 */
u64 cape_forget_twins(struct cape_snapshot *snapshot)
{
	struct cape_block *block;
	unsigned long index;
	u64 count = 0;

	xa_for_each(&snapshot->blocks, index, block) {
		count += forget_in_block(snapshot, block);
		cond_resched();
	}
	return count;
}

/**
 * cape_forget_older() - gives up the twins of an epoch that has ended
 * @snapshot: the locked image, in which these twins are counted
 * @layer: of the epoch
 */
void cape_forget_older(struct cape_snapshot *snapshot, struct cape_layer *layer)
{
	XA_STATE(at, &layer->pages, 0);
	void *state;

	xas_lock(&at);
	xas_for_each(&at, state, ULONG_MAX) {
		if (xa_is_value(state))
			continue;
		/* Needs no memory, as there is an entry. */
		xas_store(&at, CAPE_WAS_REPLACED);
		put_page(state);
		if (need_resched()) {
			xas_pause(&at);
			xas_unlock(&at);
			cond_resched();
			xas_lock(&at);
		}
	}
	xas_unlock(&at);
	cape_uncharge_twins(snapshot, layer->twin_count);
	layer->twin_count = 0;
}

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

/* Is the twin there a part of @folio? */
static bool is_part(const struct cape_block *block, unsigned int index, const struct folio *folio)
{
	return block->twin[index] && page_folio(block->twin[index]) == folio;
}

/*
 * How many twins from @index on, of which that is the first, are parts of @folio.  Those of a huge
 * page need not be neighbours: some may have been unlocked, or be older than an epoch.
 */
static unsigned int count_parts(const struct cape_block *block, unsigned int index,
				struct folio *folio)
{
	unsigned int parts = 1;

	if (!folio_test_large(folio))
		return parts;
	while (++index < CAPE_PAGES_PER_BLOCK)
		parts += is_part(block, index, folio);
	return parts;
}

static void forget_parts(struct cape_snapshot *snapshot, struct cape_block *block,
			 unsigned int index, struct folio *folio, unsigned int parts)
{
	for (; parts; index++) {
		if (!is_part(block, index, folio))
			continue;
		cape_forget_twin(snapshot, block, index);
		parts--;
	}
}

static u64 forget_in_block(struct cape_snapshot *snapshot, struct cape_block *block)
{
	const struct folio *kept = NULL;
	unsigned int index, parts;
	u64 count = 0;

	for (index = 0; index < CAPE_PAGES_PER_BLOCK; index++) {
		struct folio *folio;

		if (!block->twin[index] || is_part(block, index, kept))
			continue;
		folio = page_folio(block->twin[index]);
		parts = count_parts(block, index, folio);
		/* If someone else is about to look at it, there is another time. */
		if (folio_ref_count(folio) != parts) {
			kept = folio;
			continue;
		}
		forget_parts(snapshot, block, index, folio, parts);
		count += parts;
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

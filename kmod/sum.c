// SPDX-License-Identifier: GPL-2.0-only
/* The sums of twins, which tell whether somebody has written to one (check.c). */
#include <linux/highmem.h>
#include <linux/page-flags.h>
#include <linux/sched/signal.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include "driver.h"

/* Of a page that memory failure has taken there is nothing to be read. */
static u64 sum_page(struct page *page)
{
	static const siphash_key_t key;
	void *bytes;
	u64 sum;

	if (PageHWPoison(page))
		return 0;
	bytes = kmap_local_page(page);
	sum = siphash(bytes, PAGE_SIZE, &key);
	kunmap_local(bytes);
	return sum;
}

/**
 * cape_sum_twin() - takes the sum of a twin
 * @block: where the twin is, or will be
 * @index: of its page there
 * @twin: the twin
 *
 * Return: 0 or -ENOMEM.
 */
int cape_sum_twin(struct cape_block *block, unsigned int index, struct page *twin)
{
	if (!block->sum)
		block->sum = kmalloc_array(CAPE_PAGES_PER_BLOCK, sizeof(*block->sum),
					   GFP_KERNEL_ACCOUNT);
	if (!block->sum)
		return -ENOMEM;
	block->sum[index] = sum_page(twin);
	return 0;
}

static int sum_block(struct cape_block *block)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < CAPE_PAGES_PER_BLOCK && !err; i++)
		if (block->twin[i])
			err = cape_sum_twin(block, i, block->twin[i]);
	return err;
}

/**
 * cape_sum_twins() - takes the sums of all twins
 * @snapshot: just taken, and no translation is left by which the process could write to a twin
 *
 * Return: 0, -ENOMEM or -EINTR.
 */
int cape_sum_twins(struct cape_snapshot *snapshot)
{
	struct cape_block *block;
	unsigned long index;
	int err;

	xa_for_each(&snapshot->blocks, index, block) {
		err = sum_block(block);
		if (err)
			return err;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/* Is the twin of page @index, which there is, another than when its sum was taken? */
bool cape_has_changed(const struct cape_block *block, unsigned int index)
{
	struct page *twin = block->twin[index];

	return !PageHWPoison(twin) && sum_page(twin) != block->sum[index];
}

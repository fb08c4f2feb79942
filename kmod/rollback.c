// SPDX-License-Identifier: GPL-2.0-only
/*
 * Putting the memory of a process that stands still back to what it was when it was locked.
 *
 * A page that was written gets the bytes of its twin, becomes read-only again and is its own twin
 * from then on, so that the image is locked as it was.  What had no twin, as nothing or a page of a
 * file was there, is given one first.  Pages that are not there, or that others have too, are made
 * the process's own before: by a write, as the process would.
 */
#include <linux/highmem.h>
#include <linux/ktime.h>
#include <linux/mmu_notifier.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "compat.h"
#include "driver.h"
#include "trace.h"

/* Reclaim would have to be very fast to be in the way that often. */
#define CAPE_TRIES	32

/**
 * struct restoring - one pass over the memory
 * @mm: the memory, write-locked
 * @snapshot: the image to go back to
 * @block: of the part that is looked at; NULL if it has none
 * @count: pages put back
 * @address: of the page that is being put back
 * @twinless: there are pages that were written and have no twin yet
 * @protected: page table entries were made read-only
 * @changed: pages of the part that may have to be put back
 * @foreign: those that have to be made the process's own first
 */
struct restoring {
	struct mm_struct *mm;
	struct cape_snapshot *snapshot;
	struct cape_block *block;
	u64 count;
	unsigned long address;
	bool twinless;
	bool protected;
	DECLARE_BITMAP(changed, CAPE_PAGES_PER_BLOCK);
	DECLARE_BITMAP(foreign, CAPE_PAGES_PER_BLOCK);
};

/* Makes @page, which has the bytes of its twin now, that twin. */
static void renew_twin(struct cape_block *block, unsigned int index, struct page *page)
{
	struct page *twin = block->twin[index];

	get_page(page);
	WRITE_ONCE(block->twin[index], page);
	clear_bit(index, block->pinned);
	put_page(twin);
}

/* Called with the page table lock held. */
static int restore_page(pte_t *ptep, unsigned long address, void *data)
{
	struct restoring *restoring = data;
	unsigned int index = cape_page_index(address);
	struct cape_block *block = restoring->block;
	pte_t pte = ptep_get(ptep);
	struct page *page = pte_present(pte) ? cape_pte_page(pte) : NULL;

	/* It was swapped out, and is back. */
	if (page == block->twin[index])
		return 0;
	if (!page || !PageAnon(page) || !PageAnonExclusive(page)) {
		__set_bit(index, restoring->foreign);
		return 0;
	}
	copy_highpage(page, block->twin[index]);
	folio_mark_dirty(page_folio(page));
	restoring->count++;
	/* A device may write to a page that is pinned: that one stays written. */
	if (!cape_share_anon_page(page))
		return 0;
	if (pte_write(pte)) {
		ptep_set_wrprotect(restoring->mm, address, ptep);
		restoring->protected = true;
	}
	renew_twin(block, index, page);
	return 0;
}

/* Puts back the pages marked as changed that the process has for its own; marks the others. */
static int restore_own_pages(struct restoring *restoring, struct vm_area_struct *vma,
			     unsigned long start)
{
	unsigned long block = ALIGN_DOWN(start, PMD_SIZE);
	unsigned int index;
	int err;

	err = cape_has_page_table(vma, start);
	if (err <= 0) {
		bitmap_copy(restoring->foreign, restoring->changed, CAPE_PAGES_PER_BLOCK);
		return err;
	}
	bitmap_zero(restoring->foreign, CAPE_PAGES_PER_BLOCK);
	for_each_set_bit(index, restoring->changed, CAPE_PAGES_PER_BLOCK) {
		restoring->address = block + index * PAGE_SIZE;
		err = apply_to_page_range(restoring->mm, restoring->address, PAGE_SIZE,
					  restore_page, restoring);
		if (err)
			return err;
	}
	return 0;
}

static int own_foreign_pages(struct restoring *restoring, unsigned long block)
{
	unsigned int index;

	for_each_set_bit(index, restoring->foreign, CAPE_PAGES_PER_BLOCK) {
		long got;

		restoring->address = block + index * PAGE_SIZE;
		got = cape_get_user_pages(restoring->mm, restoring->address, 1,
					  FOLL_WRITE | FOLL_FORCE, NULL);
		if (got <= 0)
			return got ?: -EFAULT;
	}
	return 0;
}

/* Pages that were written and have no twin are left for later. */
static void leave_twinless(struct restoring *restoring)
{
	unsigned int index;

	for_each_set_bit(index, restoring->changed, CAPE_PAGES_PER_BLOCK) {
		if (restoring->block && restoring->block->twin[index])
			continue;
		restoring->twinless = true;
		__clear_bit(index, restoring->changed);
	}
}

static int restore_part(struct vm_area_struct *vma, unsigned long start, unsigned long end,
			void *data)
{
	struct restoring *restoring = data;
	unsigned long block = ALIGN_DOWN(start, PMD_SIZE);
	int tries, err;

	restoring->address = start;
	restoring->block = cape_find_block(restoring->snapshot, start);
	err = cape_find_changed(vma, start, end, restoring->block ? restoring->block->twin : NULL,
				restoring->changed);
	if (err)
		return err;
	/* Nobody sets such a mark now, as no thread runs. */
	if (restoring->block)
		bitmap_clear(restoring->block->notified, cape_page_index(start),
			     (end - start) >> PAGE_SHIFT);
	leave_twinless(restoring);
	for (tries = 0; tries < CAPE_TRIES; tries++) {
		err = restore_own_pages(restoring, vma, start);
		if (err || bitmap_empty(restoring->foreign, CAPE_PAGES_PER_BLOCK))
			return err;
		err = own_foreign_pages(restoring, block);
		if (err)
			return err;
		bitmap_copy(restoring->changed, restoring->foreign, CAPE_PAGES_PER_BLOCK);
	}
	return -EAGAIN;
}

/* Where there are pages, or there were. */
static unsigned long next_to_restore(struct vm_area_struct *vma, unsigned long start,
				     unsigned long end, void *data)
{
	struct restoring *restoring = data;
	unsigned long next = cape_next_page_table(vma, start, end);

	return cape_next_block(restoring->snapshot, start, next);
}

static int restore_memory(struct restoring *restoring, struct cape_rollback *rollback)
{
	struct cape_visitor visitor = {
		.next = next_to_restore,
		.visit = restore_part,
		.data = restoring,
	};
	struct mm_struct *mm = restoring->mm;
	int err;

	/* See take_snapshot(). */
	if (mm_has_notifiers(mm))
		return -EOPNOTSUPP;
	if (!cape_still_mapped(mm, restoring->snapshot, &restoring->address, &rollback->new_bytes))
		return -ESTALE;
	raw_write_seqcount_begin(&mm->write_protect_seq);
	err = cape_visit_parts(mm, restoring->snapshot, 0, mm->task_size, &visitor);
	raw_write_seqcount_end(&mm->write_protect_seq);
	if (restoring->protected)
		cape_flush_tlb(mm);
	return err;
}

static int restore(struct cape_process *process, struct restoring *restoring,
		   struct cape_rollback *rollback)
{
	int tries, err;

	for (tries = 0; tries < CAPE_TRIES; tries++) {
		restoring->twinless = false;
		restoring->protected = false;
		err = mmap_write_lock_killable(restoring->mm);
		if (err)
			return err;
		err = restore_memory(restoring, rollback);
		mmap_write_unlock(restoring->mm);
		if (err || !restoring->twinless)
			return err;
		/* It reads files, which must not be done with the memory locked. */
		err = cape_make_twins(process);
		if (err)
			return err;
	}
	return -EAGAIN;
}

/* Puts the locked memory back: see struct cape_rollback. */
int cape_rollback(struct cape_process *process, struct cape_rollback *rollback)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	struct restoring *restoring;
	struct mm_struct *mm;
	int err;

	if (!snapshot)
		return -ENODATA;
	if (!cape_stands_still(process))
		return -EBUSY;
	if (cape_first_open(snapshot, &rollback->address))
		return -ESTALE;
	mm = cape_get_mm(process);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	restoring = kzalloc(sizeof(*restoring), GFP_KERNEL_ACCOUNT);
	if (!restoring) {
		err = -ENOMEM;
		goto out_mm;
	}
	restoring->mm = mm;
	restoring->snapshot = snapshot;
	err = restore(process, restoring, rollback);
	rollback->page_count = restoring->count;
	if (err)
		rollback->address = restoring->address;
	trace_cape_rollback(process->pid, rollback, err);
	kfree(restoring);
out_mm:
	mmput(mm);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Putting the memory of a process that stands still back to what it was when it was locked.
 *
 * A page that was written gets the bytes of its twin, becomes read-only again and is its own twin
 * from then on, so that the image is locked as it was.  What had no twin, as nothing or a page of a
 * file was there, is dropped, or, if somebody else has to do with it, given one first.  Pages that
 * are not there, or that others have too, are made the process's own before: by a write, as the
 * process would.  Epochs that are undone do not count as others.
 *
 * All pages become read-only, and the TLBs are flushed, before the first gets its bytes: somebody
 * who shares the memory and runs (CLONE_VM, the kernel's workers) would write into the twin.
 */
#include <linux/highmem.h>
#include <linux/ktime.h>
#include <linux/mmu_notifier.h>
#include <linux/page-flags.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/userfaultfd_k.h>
#include "compat.h"
#include "time/time.h"
#include "trace.h"

/**
 * struct restoring - one pass over the memory
 * @mm: the memory, write-locked
 * @snapshot: the image to go back to
 * @undone: layers of later epochs, which nobody will see any more
 * @vma: the mapping that is looked at
 * @block: of the part that is looked at; NULL if it has none
 * @count: pages put back, without those that are pinned
 * @pinned_count: those, which every pass puts back
 * @address: of the page that is being put back
 * @begun: pages, or twins, may be others than before
 * @to_drop: there are pages that were written and are to be dropped
 * @incomplete: there are pages that were written and have no twin yet, or that were reclaimed
 * @protected: there are pages that nobody may write to from now on
 * @changed: pages of the part that may have to be put back
 * @foreign: those that have to be made the process's own first, or dropped
 */
struct restoring {
	struct mm_struct *mm;
	struct cape_snapshot *snapshot;
	const struct list_head *undone;
	struct vm_area_struct *vma;
	struct cape_block *block;
	u64 count;
	u64 pinned_count;
	unsigned long address;
	bool begun;
	bool to_drop;
	bool incomplete;
	bool protected;
	DECLARE_BITMAP(changed, CAPE_PAGES_PER_BLOCK);
	DECLARE_BITMAP(foreign, CAPE_PAGES_PER_BLOCK);
};

/*
 * Has the kernel put the new pages that wait in this processor's batches, with a reference each, in
 * their place in its lists.  lru_add_drain() is not exported; to release a batch begins with it.
 */
static void drain_batches(struct folio *folio)
{
	struct folio_batch batch;

	folio_batch_init(&batch);
	folio_get(folio);
	folio_batch_add(&batch, folio);
	folio_batch_release(&batch);
}

/*
 * Has nobody but the process this page, which it may not write to, and epochs that are undone?
 * Called with the page table lock held, which keeps fork and reclaim from taking it.
 */
static bool is_alone(const struct restoring *restoring, unsigned long address, struct page *page)
{
	struct folio *folio = page_folio(page);
	struct cape_layer *layer;
	int users = 1;

	/* Swap, and the merging of pages, find others by the page itself. */
	if (folio_test_large(folio) || folio_test_swapcache(folio) || folio_test_ksm(folio))
		return false;
	list_for_each_entry(layer, restoring->undone, link)
		users += xa_load(&layer->pages, address >> PAGE_SHIFT) == page;
	/*
	 * Whoever else has the page has a reference.  That it is in none of the kernel's lists does
	 * not tell that a batch has one: it may just be taken from there.
	 */
	if (folio_ref_count(folio) == users + 1 && !folio_test_lru(folio))
		drain_batches(folio);
	return folio_ref_count(folio) == users;
}

/* Called with the page table lock held. */
static int protect_page(pte_t *ptep, unsigned long address, void *data)
{
	struct restoring *restoring = data;
	unsigned int index = cape_page_index(address);
	struct cape_block *block = restoring->block;
	pte_t pte = ptep_get(ptep);
	struct page *page = pte_present(pte) ? cape_pte_page(pte) : NULL;
	bool exclusive;

	/* It was swapped out, and is back. */
	if (page && page == block->twin[index]) {
		__clear_bit(index, restoring->foreign);
		return 0;
	}
	if (!page || !PageAnon(page))
		return 0;
	/* Somebody is to learn of the next write (userfaultfd): make one, as the process would. */
	if (userfaultfd_pte_wp(restoring->vma, pte))
		return 0;
	exclusive = PageAnonExclusive(page);
	if (!exclusive && !is_alone(restoring, address, page))
		return 0;
	if (PageHWPoison(block->twin[index])) {
		restoring->address = address;
		return -EHWPOISON;
	}
	if (exclusive && cape_share_anon_page(page) && pte_write(pte))
		ptep_set_wrprotect(restoring->mm, address, ptep);
	/* See cape_protect_page(). */
	restoring->protected = true;
	__clear_bit(index, restoring->foreign);
	__set_bit(index, block->restoring);
	return 0;
}

/* Makes @page, which has the bytes of its twin now, that twin. */
static void renew_twin(struct cape_block *block, unsigned int index, struct page *page)
{
	struct page *twin = block->twin[index];

	get_page(page);
	WRITE_ONCE(block->twin[index], page);
	clear_bit(index, block->pinned);
	put_page(twin);
}

/*
 * Called with the page table lock held, for a page that protect_page() has left for us: nobody can
 * have got it since but reclaim, or migration, which puts another such page in its place.
 */
static int restore_page(pte_t *ptep, unsigned long address, void *data)
{
	struct restoring *restoring = data;
	unsigned int index = cape_page_index(address);
	struct cape_block *block = restoring->block;
	pte_t pte = ptep_get(ptep);
	struct page *page = pte_present(pte) ? cape_pte_page(pte) : NULL;

	if (!page)
		return 0;
	__clear_bit(index, block->restoring);
	copy_highpage(page, block->twin[index]);
	folio_mark_dirty(page_folio(page));
	/* As the process's own write would.  One that it may still write to has the mark. */
	if (!pte_write(pte))
		set_pte_at(restoring->mm, address, ptep, pte_mksoft_dirty(pte));
	/* A device may write to a page that is pinned: that one stays written. */
	if (PageAnonExclusive(page)) {
		set_bit(index, block->pinned);
		restoring->pinned_count++;
		return 0;
	}
	restoring->count++;
	renew_twin(block, index, page);
	return 0;
}

/* Called with the page table lock held, for a page that was poisoned when it was locked. */
static int leave_poisoned(pte_t *ptep, unsigned long address, void *data)
{
	struct restoring *restoring = data;

	if (!cape_is_poisoned(ptep_get(ptep))) {
		restoring->address = address;
		return -EHWPOISON;
	}
	__clear_bit(cape_page_index(address), restoring->changed);
	return 0;
}

/* What was poisoned then must be so now. */
static int leave_poisoned_pages(struct restoring *restoring, struct vm_area_struct *vma,
				unsigned long start, unsigned long end)
{
	unsigned long *pages = restoring->foreign;

	bitmap_zero(pages, CAPE_PAGES_PER_BLOCK);
	bitmap_set(pages, cape_page_index(start), (end - start) >> PAGE_SHIFT);
	if (!bitmap_and(pages, pages, restoring->block->poisoned, CAPE_PAGES_PER_BLOCK))
		return 0;
	/* If there is no page table any more, they count as dropped: see cape_make_twins(). */
	bitmap_or(restoring->changed, restoring->changed, pages, CAPE_PAGES_PER_BLOCK);
	return cape_look_at_pages(vma, start, pages, leave_poisoned, restoring);
}

static int own_mapped_pages(struct restoring *restoring, unsigned long block)
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

/* Was there nothing at @address that is known, as userfaultfd was to provide it? */
static bool was_awaited(const struct restoring *restoring, unsigned long address)
{
	const struct cape_mapping *mapping = cape_find_mapping(&restoring->snapshot->mappings,
							       address);

	return mapping && cape_is_awaited(mapping, address);
}

/* Has nobody else to do with what an entry has: no device, nor who is to be asked for a write? */
static bool is_droppable(struct vm_area_struct *vma, pte_t pte)
{
	struct page *page;

	if (!CAPE_CAN_DROP_PAGES)
		return false;
	if (!pte_present(pte))
		return !cape_is_guarded(pte);
	page = cape_pte_page(pte);
	return !userfaultfd_pte_wp(vma, pte) && !(page && folio_maybe_dma_pinned(page_folio(page)));
}

/* Called with the page table lock held, for a page that was written and has no twin. */
static int leave_undroppable(pte_t *ptep, unsigned long address, void *data)
{
	struct restoring *restoring = data;

	/* Whoever has put a breakpoint there wants to keep it: see leave_probed(). */
	if (!cape_may_be_probed(restoring->snapshot, restoring->vma) &&
	    is_droppable(restoring->vma, ptep_get(ptep)))
		return 0;
	if (was_awaited(restoring, address)) {
		restoring->address = address;
		return -ESTALE;
	}
	__clear_bit(cape_page_index(address), restoring->foreign);
	restoring->incomplete = true;
	return 0;
}

/*
 * Of the changed pages, those that have no twin are to be dropped, and are @foreign, or are left
 * for later, when they have got one.
 */
static int sort_twinless(struct restoring *restoring, unsigned long start)
{
	const struct cape_block *block = restoring->block;
	unsigned int index;

	bitmap_zero(restoring->foreign, CAPE_PAGES_PER_BLOCK);
	for_each_set_bit(index, restoring->changed, CAPE_PAGES_PER_BLOCK) {
		if (block && block->twin[index])
			continue;
		__clear_bit(index, restoring->changed);
		if (block && test_bit(index, block->poisoned))
			restoring->incomplete = true;
		else
			__set_bit(index, restoring->foreign);
	}
	if (bitmap_empty(restoring->foreign, CAPE_PAGES_PER_BLOCK))
		return 0;
	return cape_look_at_pages(restoring->vma, start, restoring->foreign, leave_undroppable,
				  restoring);
}

/* Pages of text in which the kernel has changed its breakpoints, and the process nothing. */
static void leave_probed(struct restoring *restoring, unsigned long block)
{
	unsigned int index;

	if (!cape_may_be_probed(restoring->snapshot, restoring->vma))
		return;
	for_each_set_bit(index, restoring->changed, CAPE_PAGES_PER_BLOCK) {
		struct page *page = cape_get_text(restoring->vma, block + index * PAGE_SIZE);

		if (!page)
			continue;
		if (cape_differ_by_probes(restoring->block->twin[index], page))
			__clear_bit(index, restoring->changed);
		put_page(page);
	}
}

/* Makes the pages that have to be put back the process's own and read-only, and marks them. */
static int prepare_part(struct vm_area_struct *vma, unsigned long start, unsigned long end,
			void *data)
{
	struct restoring *restoring = data;
	struct cape_block *block = cape_find_block(restoring->snapshot, start);
	unsigned int first = cape_page_index(start), count = (end - start) >> PAGE_SHIFT;
	int tries, err;

	restoring->address = start;
	restoring->vma = vma;
	restoring->block = block;
	err = cape_find_changed(vma, start, end, block ? block->twin : NULL, restoring->changed);
	if (err)
		return err;
	if (block) {
		bitmap_clear(block->restoring, first, count);
		/* Nobody sets such a mark now, as no thread runs. */
		bitmap_clear(block->notified, first, count);
		err = leave_poisoned_pages(restoring, vma, start, end);
		if (err)
			return err;
	}
	err = sort_twinless(restoring, start);
	if (err)
		return err;
	restoring->to_drop |= !bitmap_empty(restoring->foreign, CAPE_PAGES_PER_BLOCK);
	leave_probed(restoring, ALIGN_DOWN(start, PMD_SIZE));
	bitmap_copy(restoring->foreign, restoring->changed, CAPE_PAGES_PER_BLOCK);
	for (tries = 0; tries < CAPE_TRIES; tries++) {
		if (bitmap_empty(restoring->foreign, CAPE_PAGES_PER_BLOCK))
			return 0;
		bitmap_copy(restoring->changed, restoring->foreign, CAPE_PAGES_PER_BLOCK);
		err = cape_look_at_pages(vma, start, restoring->changed, protect_page, restoring);
		err = err ?: own_mapped_pages(restoring, ALIGN_DOWN(start, PMD_SIZE));
		if (err)
			return err;
	}
	return -EAGAIN;
}

/* Puts back the pages that prepare_part() has marked. */
static int restore_part(struct vm_area_struct *vma, unsigned long start, unsigned long end,
			void *data)
{
	struct restoring *restoring = data;
	struct cape_block *block = cape_find_block(restoring->snapshot, start);
	int err;

	if (!block || bitmap_empty(block->restoring, CAPE_PAGES_PER_BLOCK))
		return 0;
	restoring->address = start;
	restoring->block = block;
	bitmap_zero(restoring->changed, CAPE_PAGES_PER_BLOCK);
	bitmap_set(restoring->changed, cape_page_index(start), (end - start) >> PAGE_SHIFT);
	bitmap_and(restoring->changed, restoring->changed, block->restoring, CAPE_PAGES_PER_BLOCK);
	err = cape_look_at_pages(vma, start, restoring->changed, restore_page, restoring);
	if (bitmap_intersects(restoring->changed, block->restoring, CAPE_PAGES_PER_BLOCK))
		restoring->incomplete = true;
	return err;
}

/* Drops the pages that were written where nothing of the process's own was. */
static int drop_part(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		     void *data)
{
	struct restoring *restoring = data;
	unsigned long block = ALIGN_DOWN(start, PMD_SIZE);
	unsigned int from, to;
	int err;

	restoring->address = start;
	restoring->vma = vma;
	restoring->block = cape_find_block(restoring->snapshot, start);
	err = cape_find_changed(vma, start, end, restoring->block ? restoring->block->twin : NULL,
				restoring->changed);
	err = err ?: sort_twinless(restoring, start);
	if (err)
		return err;
	for_each_set_bitrange(from, to, restoring->foreign, CAPE_PAGES_PER_BLOCK) {
		cape_drop_pages(vma, block + from * PAGE_SIZE, (to - from) * PAGE_SIZE);
		restoring->count += to - from;
	}
	return 0;
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
		.visit = prepare_part,
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
	if (err)
		return err;
	restoring->begun = true;
	visitor.visit = restore_part;
	err = cape_visit_parts(mm, restoring->snapshot, 0, mm->task_size, &visitor);
	if (err || !restoring->to_drop)
		return err;
	visitor.visit = drop_part;
	return cape_visit_parts(mm, restoring->snapshot, 0, mm->task_size, &visitor);
}

static int restore(struct cape_process *process, struct restoring *restoring,
		   struct cape_rollback *rollback)
{
	int tries, err;

	for (tries = 0; tries < CAPE_TRIES; tries++) {
		restoring->to_drop = false;
		restoring->incomplete = false;
		restoring->protected = false;
		restoring->pinned_count = 0;
		err = mmap_write_lock_killable(restoring->mm);
		if (err)
			return err;
		err = restore_memory(restoring, rollback);
		mmap_write_unlock(restoring->mm);
		if (err || !restoring->incomplete)
			return err;
		/* It reads files, which must not be done with the memory locked. */
		restoring->address = 0;
		restoring->begun = true;
		err = cape_make_twins(process);
		if (err)
			return err;
	}
	return -EAGAIN;
}

/* To the newest epoch.  @begun: set if something is not as it was, also when that fails. */
static int rollback_newest(struct cape_process *process, const struct list_head *undone,
			   struct cape_rollback *rollback, bool *begun)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	struct restoring *restoring;
	struct mm_struct *mm;
	int err;

	*begun = false;
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
	restoring->undone = undone;
	err = restore(process, restoring, rollback);
	rollback->page_count = restoring->count + restoring->pinned_count;
	if (err) {
		rollback->address = restoring->address;
		rollback->new_bytes = 0;
	}
	*begun = restoring->begun;
	trace_cape_rollback(process->pid, rollback, err);
	kfree(restoring);
out_mm:
	mmput(mm);
	return err;
}

/**
 * cape_rollback() - puts the locked memory back: see struct cape_rollback, struct cape_rollback_to
 * @process: its lock is held
 * @epoch: to whose beginning, or CAPE_EPOCH_NEWEST
 * @rollback: the caller's struct
 *
 * Return: 0 or an error.
 */
int cape_rollback(struct cape_process *process, u64 epoch, struct cape_rollback *rollback)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	LIST_HEAD(undone);
	bool begun;
	int err;

	if (!snapshot)
		return -ENODATA;
	if (epoch == CAPE_EPOCH_NEWEST)
		epoch = snapshot->epoch;
	if (epoch != snapshot->epoch && !cape_find_layer(snapshot, epoch))
		return -ENOENT;
	if (!cape_stands_still(process))
		return -EBUSY;
	cape_descend(snapshot, epoch, &undone);
	err = rollback_newest(process, &undone, rollback, &begun);
	if (err && !begun)
		cape_ascend(snapshot, &undone);
	else
		cape_drop_layers(snapshot, &undone);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Further instants of a locked process image: beginning an epoch, dropping one, and going back.
 *
 * Only the newest epoch has a twin for each page (struct cape_block).  When another begins, the
 * pages that are not their twins any more get new ones; the old ones go to a layer, which stands
 * for the epoch that ends.  What a layer has not was the same when the next epoch began.  So to
 * begin an epoch is to find out what the layer of the new one would be, and to exchange that with
 * what the blocks have; and the same exchange leads back from an epoch to the one before it.
 */
#include <linux/mmu_notifier.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "compat.h"
#include "time/time.h"
#include "trace.h"

/* Marks in cape_layer.pages, while these are prepared. */
#define CAPE_PINNED	XA_MARK_0
#define CAPE_MOVED	XA_MARK_1

/* What a page was when the newest epoch began.  @block may be NULL. */
void *cape_page_state(const struct cape_block *block, unsigned int index)
{
	if (!block)
		return CAPE_WAS_NONE;
	if (block->twin[index])
		return block->twin[index];
	if (test_bit(index, block->open))
		return CAPE_WAS_OPEN;
	if (test_bit(index, block->poisoned))
		return CAPE_WAS_POISONED;
	return test_bit(index, block->replaced) ? CAPE_WAS_REPLACED : CAPE_WAS_NONE;
}

static void set_page_state(struct cape_snapshot *snapshot, struct cape_block *block,
			   unsigned int index, void *state)
{
	snapshot->open_count -= test_bit(index, block->open);
	snapshot->open_count += state == CAPE_WAS_OPEN;
	assign_bit(index, block->open, state == CAPE_WAS_OPEN);
	assign_bit(index, block->poisoned, state == CAPE_WAS_POISONED);
	assign_bit(index, block->replaced, state == CAPE_WAS_REPLACED);
	clear_bit(index, block->notified);
	WRITE_ONCE(block->twin[index], xa_is_value(state) ? NULL : state);
}

/* Exchanges what the newest epoch is with what @layer is.  Cannot fail. */
static void exchange(struct cape_snapshot *snapshot, struct cape_layer *layer)
{
	XA_STATE(at, &layer->pages, 0);
	u64 epoch = snapshot->epoch;
	void *state, *other;

	xas_lock(&at);
	xas_for_each(&at, state, ULONG_MAX) {
		struct cape_block *block = cape_find_block(snapshot, at.xa_index << PAGE_SHIFT);
		unsigned int index = at.xa_index % CAPE_PAGES_PER_BLOCK;

		other = cape_page_state(block, index);
		set_page_state(snapshot, block, index, state);
		/* Needs no memory, as there is an entry. */
		xas_store(&at, other);
		layer->twin_count += !xa_is_value(other);
		layer->twin_count -= !xa_is_value(state);
		if (need_resched()) {
			xas_pause(&at);
			xas_unlock(&at);
			cond_resched();
			xas_lock(&at);
		}
	}
	xas_unlock(&at);
	swap(snapshot->mappings, layer->mappings);
	/* The page fault handler may write it to a record. */
	WRITE_ONCE(snapshot->epoch, layer->epoch);
	layer->epoch = epoch;
}

/**
 * cape_descend() - makes an older epoch the newest
 * @snapshot: the locked image
 * @epoch: which; there is such an epoch
 * @undone: empty; set to what leads back up, for cape_ascend() or cape_drop_layers()
 */
void cape_descend(struct cape_snapshot *snapshot, u64 epoch, struct list_head *undone)
{
	while (snapshot->epoch != epoch) {
		struct cape_layer *layer = list_last_entry(&snapshot->layers, struct cape_layer,
							   link);

		exchange(snapshot, layer);
		list_move(&layer->link, undone);
		snapshot->layer_count--;
	}
}

/* Undoes cape_descend(). */
void cape_ascend(struct cape_snapshot *snapshot, struct list_head *undone)
{
	struct cape_layer *layer, *next;

	list_for_each_entry_safe(layer, next, undone, link) {
		exchange(snapshot, layer);
		list_move_tail(&layer->link, &snapshot->layers);
		snapshot->layer_count++;
	}
}

/**
 * struct renewing - an epoch that is to begin
 * @mm: the memory, write-locked
 * @snapshot: the locked image
 * @layer: gets what the pages are now that are others than their twins
 * @vma: the mapping that is looked at
 * @part: the number of the part that is looked at: many mappings may lie in one
 * @block: of it, or NULL
 * @marked: some of its pages have no twin although there was a page
 * @none_before: there is no block from where the walk is on before this address
 * @shared: the mappings are those of the epoch before
 * @count: pages in @layer
 * @protected: there are pages that nobody may write to from now on
 * @changed: pages of the part that are others
 * @to_copy: those that are pinned
 * @absent: those that memory failure has taken
 * @fresh: what they are, with references, until @layer has it
 */
struct renewing {
	struct mm_struct *mm;
	struct cape_snapshot *snapshot;
	struct cape_layer *layer;
	struct vm_area_struct *vma;
	unsigned long part;
	struct cape_block *block;
	bool marked;
	unsigned long none_before;
	bool shared;
	u64 count;
	bool protected;
	DECLARE_BITMAP(changed, CAPE_PAGES_PER_BLOCK);
	DECLARE_BITMAP(to_copy, CAPE_PAGES_PER_BLOCK);
	DECLARE_BITMAP(absent, CAPE_PAGES_PER_BLOCK);
	struct page *fresh[CAPE_PAGES_PER_BLOCK];
};

/* Called with the page table lock held, for a page of @changed, perhaps more than once. */
static int take_fresh(pte_t *ptep, unsigned long address, void *data)
{
	struct renewing *renewing = data;
	unsigned int index = cape_page_index(address);
	struct page *page = cape_own_page(renewing->vma, ptep_get(ptep));

	if (!page || renewing->fresh[index])
		return 0;
	/* It was swapped out, and is back. */
	if (page == renewing->block->twin[index]) {
		__clear_bit(index, renewing->changed);
		return 0;
	}
	if (!cape_protect_page(renewing->mm, address, ptep, page, &renewing->protected))
		__set_bit(index, renewing->to_copy);
	get_page(page);
	renewing->fresh[index] = page;
	return 0;
}

static int copy_pinned(struct renewing *renewing)
{
	unsigned int index;

	for_each_set_bit(index, renewing->to_copy, CAPE_PAGES_PER_BLOCK) {
		struct page *copy = NULL;

		if (!renewing->snapshot->no_twins) {
			copy = cape_copy_page(renewing->fresh[index]);
			if (!copy)
				return -ENOMEM;
		}
		put_page(renewing->fresh[index]);
		renewing->fresh[index] = copy;
	}
	return 0;
}

static int add_state(struct renewing *renewing, unsigned long number, void *state)
{
	int err = xa_err(xa_store(&renewing->layer->pages, number, state, GFP_KERNEL));

	if (err)
		return err;
	renewing->count++;
	renewing->layer->twin_count += !xa_is_value(state);
	return 0;
}

/* What a page is of which there is no twin. */
static void *state_without_twin(const struct renewing *renewing, unsigned int index)
{
	if (test_bit(index, renewing->to_copy))
		return CAPE_WAS_REPLACED;
	return test_bit(index, renewing->absent) ? CAPE_WAS_POISONED : CAPE_WAS_NONE;
}

static int add_changed(struct renewing *renewing, unsigned long first)
{
	unsigned int index;
	int err;

	for_each_set_bit(index, renewing->changed, CAPE_PAGES_PER_BLOCK) {
		void *state = renewing->fresh[index] ?: state_without_twin(renewing, index);

		err = add_state(renewing, first + index, state);
		if (err)
			return err;
		renewing->fresh[index] = NULL;
		if (test_bit(index, renewing->to_copy))
			xa_set_mark(&renewing->layer->pages, first + index, CAPE_PINNED);
	}
	return 0;
}

static void forget_fresh(struct renewing *renewing)
{
	unsigned int index;

	for (index = 0; index < CAPE_PAGES_PER_BLOCK; index++) {
		if (renewing->fresh[index])
			put_page(renewing->fresh[index]);
		renewing->fresh[index] = NULL;
	}
}

/* Goes to the part of @start, if another was looked at. */
static void go_to_part(struct renewing *renewing, unsigned long start)
{
	struct cape_block *block;

	if (renewing->part == start >> PMD_SHIFT)
		return;
	block = cape_find_block(renewing->snapshot, start);
	renewing->part = start >> PMD_SHIFT;
	renewing->block = block;
	renewing->marked = block && !(bitmap_empty(block->open, CAPE_PAGES_PER_BLOCK) &&
				      bitmap_empty(block->poisoned, CAPE_PAGES_PER_BLOCK) &&
				      bitmap_empty(block->replaced, CAPE_PAGES_PER_BLOCK));
}

/* Those that have no twin although there was a page: whatever is there now is another state. */
static void add_without_twin(struct renewing *renewing, unsigned long start, unsigned long end)
{
	const struct cape_block *block = renewing->block;
	unsigned long *pages = renewing->to_copy;

	bitmap_or(pages, block->open, block->poisoned, CAPE_PAGES_PER_BLOCK);
	bitmap_or(pages, pages, block->replaced, CAPE_PAGES_PER_BLOCK);
	bitmap_zero(renewing->absent, CAPE_PAGES_PER_BLOCK);
	bitmap_set(renewing->absent, cape_page_index(start), (end - start) >> PAGE_SHIFT);
	bitmap_and(pages, pages, renewing->absent, CAPE_PAGES_PER_BLOCK);
	bitmap_or(renewing->changed, renewing->changed, pages, CAPE_PAGES_PER_BLOCK);
}

static int renew_part(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		      void *data)
{
	struct renewing *renewing = data;
	int err;

	go_to_part(renewing, start);
	err = cape_find_changed(vma, start, end, renewing->block ? renewing->block->twin : NULL,
				renewing->changed);
	if (err)
		return err;
	renewing->vma = vma;
	if (renewing->marked)
		add_without_twin(renewing, start, end);
	if (bitmap_empty(renewing->changed, CAPE_PAGES_PER_BLOCK))
		return 0;
	renewing->block = cape_get_block(renewing->snapshot, start, GFP_KERNEL);
	if (!renewing->block)
		return -ENOMEM;
	bitmap_zero(renewing->to_copy, CAPE_PAGES_PER_BLOCK);
	bitmap_zero(renewing->absent, CAPE_PAGES_PER_BLOCK);
	/* Without an anon_vma it has no anonymous pages. */
	if (vma->anon_vma)
		err = cape_walk_pages(vma, start, end, renewing->changed, take_fresh, renewing,
				      renewing->absent);
	err = err ?: copy_pinned(renewing);
	err = err ?: add_changed(renewing, ALIGN_DOWN(start, PMD_SIZE) >> PAGE_SHIFT);
	forget_fresh(renewing);
	return err;
}

/*
 * Where there are pages, or there were.  A block is not looked for in every mapping, of which there
 * may be many: blocks that are made meanwhile are of pages, and have no twins.
 */
static unsigned long next_to_renew(struct vm_area_struct *vma, unsigned long start,
				   unsigned long end, void *data)
{
	struct renewing *renewing = data;
	unsigned long next = cape_next_page_table(vma, start, end);

	if (next == start)
		return start;
	if (renewing->none_before <= start)
		renewing->none_before = cape_next_block(renewing->snapshot, start,
							renewing->mm->task_size);
	return min(next, max(start, renewing->none_before));
}

/* Where nothing is mapped any more that is covered. */
static int renew_gap(struct renewing *renewing, unsigned long start, unsigned long end)
{
	struct cape_snapshot *snapshot = renewing->snapshot;
	int err;

	while ((start = cape_next_block(snapshot, start, end)) < end) {
		struct cape_block *block = cape_find_block(snapshot, start);
		unsigned long stop = pmd_addr_end(start, end);

		for (; start < stop; start += PAGE_SIZE) {
			if (cape_page_state(block, cape_page_index(start)) == CAPE_WAS_NONE)
				continue;
			err = add_state(renewing, start >> PAGE_SHIFT, CAPE_WAS_NONE);
			if (err)
				return err;
		}
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

static int renew_gaps(struct renewing *renewing)
{
	VMA_ITERATOR(at, renewing->mm, 0);
	unsigned long start = 0, limit = renewing->mm->task_size;
	struct vm_area_struct *vma;
	int err;

	/* A page may have been unlocked, or have got a twin, where nothing is mapped. */
	if (renewing->shared && !renewing->snapshot->open_count && !renewing->snapshot->beyond)
		return 0;
	for_each_vma_range(at, vma, limit) {
		err = renew_gap(renewing, start,
				cape_is_covered(vma) ? vma->vm_start : vma->vm_end);
		if (err)
			return err;
		start = vma->vm_end;
	}
	return renew_gap(renewing, start, limit);
}

/* Finds out what is other than when the newest epoch began, and protects it. */
static int renew(struct renewing *renewing)
{
	struct cape_visitor visitor = {
		.next = next_to_renew,
		.visit = renew_part,
		.data = renewing,
	};
	struct mm_struct *mm = renewing->mm;
	int err = 0;

	/* See take_snapshot(). */
	if (mm_has_notifiers(mm))
		return -EOPNOTSUPP;
	renewing->shared = cape_share_mappings(mm, renewing->snapshot, &renewing->layer->mappings);
	if (!renewing->shared)
		err = cape_record_mappings(mm, renewing->snapshot, &renewing->layer->mappings);
	if (err)
		return err;
	renewing->snapshot->probed |= cape_has_probes(mm);
	raw_write_seqcount_begin(&mm->write_protect_seq);
	err = cape_visit_parts(mm, renewing->snapshot, 0, mm->task_size, &visitor);
	raw_write_seqcount_end(&mm->write_protect_seq);
	if (renewing->protected)
		cape_flush_tlb(mm);
	return err ?: renew_gaps(renewing);
}

static void mark_pinned(struct renewing *renewing)
{
	unsigned long number;
	void *state;

	xa_for_each(&renewing->layer->pages, number, state) {
		struct cape_block *block = cape_find_block(renewing->snapshot,
							   number << PAGE_SHIFT);

		assign_bit(number % CAPE_PAGES_PER_BLOCK, block->pinned,
			   xa_get_mark(&renewing->layer->pages, number, CAPE_PINNED));
		xa_clear_mark(&renewing->layer->pages, number, CAPE_PINNED);
	}
}

/* What was found becomes the newest epoch. */
static int begin(struct renewing *renewing)
{
	struct cape_snapshot *snapshot = renewing->snapshot;
	struct cape_layer *layer = renewing->layer;
	int err;

	snapshot->twin_count += layer->twin_count;
	err = cape_charge_twins(snapshot);
	if (err) {
		cape_uncharge_twins(snapshot, layer->twin_count);
		return err;
	}
	mark_pinned(renewing);
	exchange(snapshot, layer);
	list_add_tail(&layer->link, &snapshot->layers);
	snapshot->layer_count++;
	if (snapshot->no_twins)
		cape_forget_older(snapshot, layer);
	return 0;
}

static int begin_in(struct cape_process *process, struct mm_struct *mm, struct cape_layer *layer,
		    struct cape_epoch *request)
{
	struct renewing *renewing = kzalloc(sizeof(*renewing), GFP_KERNEL);
	int err;

	if (!renewing)
		return -ENOMEM;
	renewing->mm = mm;
	renewing->snapshot = cape_locked_snapshot(process);
	renewing->layer = layer;
	renewing->part = ULONG_MAX;
	err = mmap_write_lock_killable(mm);
	if (!err) {
		err = renew(renewing) ?: begin(renewing);
		mmap_write_unlock(mm);
	}
	request->page_count = renewing->count;
	kfree(renewing);
	return err;
}

static int try_to_begin(struct cape_process *process, struct mm_struct *mm,
			struct cape_epoch *request)
{
	struct cape_layer *layer = cape_new_layer(process->epochs + 1);
	int err;

	if (!layer)
		return -ENOMEM;
	err = begin_in(process, mm, layer, request);
	if (err)
		cape_free_layer(layer);
	return err;
}

/* Ends the newest epoch, and begins another: see struct cape_epoch. */
int cape_begin_epoch(struct cape_process *process, struct cape_epoch *request)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	struct mm_struct *mm;
	int tries, err;

	if (!snapshot)
		return -ENODATA;
	if (snapshot->check)
		return -EOPNOTSUPP;
	if (snapshot->layer_count + 1 >= CAPE_EPOCHS_MOST)
		return -ENOSPC;
	mm = cape_get_mm(process);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	for (tries = 0; tries < CAPE_PASSES; tries++) {
		err = try_to_begin(process, mm, request);
		if (err != CAPE_ABSENT)
			break;
		err = cape_bring_back(process, mm, snapshot);
		if (err)
			break;
		err = -ENOMEM;
	}
	mmput(mm);
	if (err)
		return err;
	process->epochs++;
	request->epoch = snapshot->epoch;
	trace_cape_epoch(process->pid, request);
	return 0;
}

/* The newest epoch is not any more; there is an older one. */
static void drop_newest(struct cape_snapshot *snapshot)
{
	struct cape_layer *layer = list_last_entry(&snapshot->layers, struct cape_layer, link);
	LIST_HEAD(undone);

	cape_descend(snapshot, layer->epoch, &undone);
	cape_drop_layers(snapshot, &undone);
}

/* If the caller cannot be informed. */
void cape_undo_epoch(struct cape_process *process)
{
	drop_newest(cape_locked_snapshot(process));
}

/* Has @older take what it has not and @layer has; marks in @layer what it took. */
static int move_down(struct cape_layer *layer, struct cape_layer *older)
{
	unsigned long number;
	void *state;
	int err;

	xa_for_each(&layer->pages, number, state) {
		err = xa_insert(&older->pages, number, state, GFP_KERNEL);
		if (!err)
			xa_set_mark(&layer->pages, number, CAPE_MOVED);
		else if (err != -EBUSY)
			return err;
		cond_resched();
	}
	return 0;
}

/* Takes from @from what @layer has marked. */
static void forget_moved(struct cape_layer *layer, struct cape_layer *from)
{
	unsigned long number;
	void *state;

	xa_for_each_marked(&layer->pages, number, state, CAPE_MOVED) {
		xa_clear_mark(&layer->pages, number, CAPE_MOVED);
		xa_erase(&from->pages, number);
		if (from == layer)
			layer->twin_count -= !xa_is_value(state);
		cond_resched();
	}
}

static int drop_older(struct cape_snapshot *snapshot, struct cape_layer *layer)
{
	LIST_HEAD(dropped);
	int err;

	if (!list_is_first(&layer->link, &snapshot->layers)) {
		struct cape_layer *older = list_prev_entry(layer, link);
		u64 twin_count = layer->twin_count;

		err = move_down(layer, older);
		if (err) {
			forget_moved(layer, older);
			return err;
		}
		forget_moved(layer, layer);
		older->twin_count += twin_count - layer->twin_count;
	}
	list_move(&layer->link, &dropped);
	snapshot->layer_count--;
	cape_drop_layers(snapshot, &dropped);
	return 0;
}

/* Forgets an epoch: see struct cape_epoch_number. */
int cape_drop_epoch(struct cape_process *process, u64 epoch)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	struct cape_layer *layer;

	if (!snapshot)
		return -ENODATA;
	if (epoch == CAPE_EPOCH_NEWEST || epoch == snapshot->epoch) {
		if (list_empty(&snapshot->layers))
			return -EBUSY;
		drop_newest(snapshot);
		return 0;
	}
	layer = cape_find_layer(snapshot, epoch);
	return layer ? drop_older(snapshot, layer) : -ENOENT;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which locked pages were written, and what was there before.
 *
 * A page with a twin was written if something else than the twin is mapped now, or nothing.  One
 * without was written if a page of the process's own is mapped now, or something else is mapped
 * there than when it was locked: its twin is all zero, or what the file has that was mapped there.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "compat.h"
#include "driver.h"
#include "trace.h"

/* A page that was written, with references to what its twin is made of. */
struct dirty_page {
	unsigned long address;
	bool pinned;
	bool poisoned;
	bool awaited;
	bool replaced;		/* it had a twin, which was not kept */
	struct page *twin;
	struct page *text;	/* what is there now, if the kernel may have changed it */
	struct file *file;
	loff_t offset;
};

/* At most one page table's worth is found before the memory of the process is let go of. */
struct search {
	struct cape_snapshot *snapshot;
	struct cape_block *block;
	bool twinless;		/* only pages without a twin of their own */
	u32 capacity;
	u32 count;
	u64 cursor;
	DECLARE_BITMAP(part, CAPE_PAGES_PER_BLOCK);
	DECLARE_BITMAP(marked, CAPE_PAGES_PER_BLOCK);
	DECLARE_BITMAP(dirty, CAPE_PAGES_PER_BLOCK);
	struct dirty_page pages[];
};

/* Called with the page table lock held. */
static int leave_poisoned(pte_t *ptep, unsigned long address, void *data)
{
	struct search *search = data;

	if (cape_is_poisoned(ptep_get(ptep)))
		__clear_bit(cape_page_index(address), search->dirty);
	return 0;
}

/*
 * What was poisoned then counts as written if it is not poisoned now; and what is known to be
 * another page although there is no twin to compare.
 */
static void add_marked_pages(struct search *search, unsigned long start, unsigned long end)
{
	unsigned long *pages = search->part;

	bitmap_or(search->marked, search->block->poisoned, search->block->replaced,
		  CAPE_PAGES_PER_BLOCK);
	bitmap_zero(pages, CAPE_PAGES_PER_BLOCK);
	bitmap_set(pages, cape_page_index(start), (end - start) >> PAGE_SHIFT);
	bitmap_and(pages, pages, search->marked, CAPE_PAGES_PER_BLOCK);
	bitmap_or(search->dirty, search->dirty, pages, CAPE_PAGES_PER_BLOCK);
}

/* What lies in other mappings than those that were locked. */
static void add_remapped_pages(struct search *search, struct vm_area_struct *vma,
			       unsigned long start, unsigned long end)
{
	const struct cape_mapping *mapping;

	while (start < end) {
		unsigned long stop;

		mapping = cape_find_remapped(&search->snapshot->mappings, vma, start, end);
		if (!mapping)
			break;
		start = max(start, mapping->start);
		stop = min(end, mapping->end);
		bitmap_set(search->dirty, cape_page_index(start), (stop - start) >> PAGE_SHIFT);
		start = stop;
	}
}

/* The twin of a page without one of its own is in the file that was mapped there, if any. */
static void add_file(struct search *search, struct dirty_page *page, struct vm_area_struct *vma)
{
	const struct cape_mapping *mapping = cape_find_mapping(&search->snapshot->mappings,
							       page->address);
	struct file *file = mapping ? mapping->file : vma->vm_file;

	page->awaited = mapping && cape_is_awaited(mapping, page->address);
	if (!file || page->awaited || (!mapping && vma_is_anonymous(vma)))
		return;
	page->file = get_file(file);
	if (mapping)
		page->offset = cape_file_offset(mapping, page->address);
	else
		page->offset = (loff_t)linear_page_index(vma, page->address) << PAGE_SHIFT;
}

static void add_dirty_page(struct search *search, struct vm_area_struct *vma,
			   unsigned long address)
{
	struct dirty_page *page = &search->pages[search->count++];
	unsigned int index = cape_page_index(address);

	*page = (struct dirty_page){ .address = address };
	if (search->block && search->block->twin[index]) {
		page->twin = search->block->twin[index];
		page->pinned = test_bit(index, search->block->pinned);
		get_page(page->twin);
	} else if (search->block && test_bit(index, search->block->poisoned)) {
		page->poisoned = true;
	} else if (search->block && test_bit(index, search->block->replaced)) {
		page->replaced = true;
		page->pinned = test_bit(index, search->block->pinned);
	} else {
		add_file(search, page, vma);
	}
	if (!page->replaced && cape_may_be_probed(search->snapshot, vma) &&
	    !cape_find_remapped(&search->snapshot->mappings, vma, address, address + PAGE_SIZE))
		page->text = cape_get_text(vma, address);
}

/* Where there are pages, or there were, or something else was mapped. */
static unsigned long next_to_search(struct vm_area_struct *vma, unsigned long start,
				    unsigned long end, void *data)
{
	struct search *search = data;
	const struct cape_mapping *mapping;
	unsigned long next = end;

	if (cape_is_covered(vma)) {
		next = cape_next_page_table(vma, start, end);
		next = cape_next_block(search->snapshot, start, next);
	}
	mapping = cape_find_remapped(&search->snapshot->mappings, vma, start, next);
	return mapping ? max(start, mapping->start) : next;
}

/* Which pages of a part are dirty, if it is covered. */
static int look_at_part(struct search *search, struct vm_area_struct *vma, unsigned long start,
			unsigned long end)
{
	int err;

	err = cape_find_changed(vma, start, end, search->block ? search->block->twin : NULL,
				search->dirty);
	if (err)
		return err;
	if (search->block)
		add_marked_pages(search, start, end);
	return cape_look_at_pages(vma, start, search->dirty, leave_poisoned, search);
}

/* Returns 1 to end the search when it is full. */
static int search_part(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		       void *data)
{
	struct search *search = data;
	unsigned long block = ALIGN_DOWN(start, PMD_SIZE);
	unsigned int index;
	int err;

	/* Let go of the memory between page tables, for the sake of its other users. */
	if (search->count == search->capacity || (search->count && start == block)) {
		search->cursor = start;
		return 1;
	}
	search->block = cape_find_block(search->snapshot, start);
	bitmap_zero(search->dirty, CAPE_PAGES_PER_BLOCK);
	err = cape_is_covered(vma) ? look_at_part(search, vma, start, end) : 0;
	if (err)
		return err;
	add_remapped_pages(search, vma, start, end);
	if (search->block)
		bitmap_andnot(search->dirty, search->dirty, search->block->open,
			      CAPE_PAGES_PER_BLOCK);
	for_each_set_bit(index, search->dirty, CAPE_PAGES_PER_BLOCK) {
		if (search->twinless && search->block && search->block->twin[index])
			continue;
		if (search->count == search->capacity) {
			search->cursor = block + index * PAGE_SIZE;
			return 1;
		}
		add_dirty_page(search, vma, block + index * PAGE_SIZE);
	}
	return 0;
}

static struct search *new_search(u32 capacity)
{
	struct search *search;

	capacity = min_t(u32, capacity, CAPE_PAGES_PER_BLOCK);
	search = kvzalloc(struct_size(search, pages, capacity), GFP_KERNEL_ACCOUNT);
	if (search)
		search->capacity = capacity;
	return search;
}

static void forget_pages(struct search *search)
{
	while (search->count) {
		struct dirty_page *page = &search->pages[--search->count];

		if (page->twin)
			put_page(page->twin);
		if (page->text)
			put_page(page->text);
		if (page->file)
			fput(page->file);
	}
}

static void free_search(struct search *search)
{
	forget_pages(search);
	kvfree(search);
}

/* Finds written pages from search->cursor on and moves it to where to go on. */
static int find_pages(struct cape_process *process, struct search *search, u64 until)
{
	struct cape_visitor visitor = {
		.next = next_to_search,
		.visit = search_part,
		.data = search,
		.everywhere = true,
	};
	struct mm_struct *mm = cape_get_mm(process);
	u64 from = search->cursor;
	int err;

	if (IS_ERR(mm))
		return PTR_ERR(mm);
	search->cursor = CAPE_CURSOR_END;
	err = mmap_write_lock_killable(mm);
	if (!err) {
		until = min_t(u64, until, mm->task_size);
		err = cape_visit_parts(mm, search->snapshot, from, until, &visitor);
		mmap_write_unlock(mm);
	}
	mmput(mm);
	return min(err, 0);
}

/* The bytes of a page of a file, zero beyond its end. */
struct page *cape_read_file_page(struct file *file, loff_t offset)
{
	struct page *page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	size_t done = 0;
	ssize_t count;

	if (!page)
		return ERR_PTR(-ENOMEM);
	do {
		count = kernel_read(file, page_address(page) + done, PAGE_SIZE - done, &offset);
		if (count < 0) {
			__free_page(page);
			return ERR_PTR(count);
		}
		done += count;
	} while (count && done < PAGE_SIZE);
	return page;
}

/* After that page->twin is all there is to the twin; NULL means that it is all zero. */
static int make_twin(struct dirty_page *page)
{
	struct page *twin;

	if (page->poisoned)
		return -EHWPOISON;
	if (!page->file)
		return 0;
	twin = cape_read_file_page(page->file, page->offset);
	if (IS_ERR(twin))
		return PTR_ERR(twin);
	fput(page->file);
	page->file = NULL;
	page->twin = twin;
	return 0;
}

/* Is it the kernel that has written, and not the process?  Returns 1 if so, 0 or an error. */
static int is_probe(struct dirty_page *page)
{
	int err;

	if (!page->text || page->poisoned)
		return 0;
	err = make_twin(page);
	if (err)
		return err;
	return page->twin && cape_differ_by_probes(page->twin, page->text);
}

/* The snapshot, if there is one in which the page is locked. */
static struct cape_snapshot *snapshot_of_page(struct cape_process *process, u64 address)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	struct cape_block *block;

	if (!snapshot)
		return ERR_PTR(-ENODATA);
	if (!cape_in_ranges(snapshot, address))
		return ERR_PTR(-ENOENT);
	block = cape_find_block(snapshot, address);
	if (block && test_bit(cape_page_index(address), block->open))
		return ERR_PTR(-ENOENT);
	return snapshot;
}

/* unlock_a_page: see struct cape_page. */
int cape_unlock_page(struct cape_process *process, const struct cape_page *page)
{
	struct cape_snapshot *snapshot = snapshot_of_page(process, page->address);
	struct cape_block *block;

	if (IS_ERR(snapshot))
		return PTR_ERR(snapshot);
	block = cape_charge_block(snapshot, page->address);
	if (!block)
		return -ENOMEM;
	cape_open_page(snapshot, block, cape_page_index(page->address));
	process->statistics.pages_unlocked++;
	trace_cape_unlock_page(process->pid, page->address);
	return 0;
}

/* What CAPE_CAPTURE_PAGE does with the one page that was found. */
static int deliver_capture(struct cape_snapshot *snapshot, struct dirty_page *page,
			   struct cape_capture *capture)
{
	int err = is_probe(page);

	if (err)
		return min(err, 0);
	err = make_twin(page);
	if (err)
		return err;
	capture->twin_state = page->twin ? CAPE_TWIN_PAGE : CAPE_TWIN_ZERO;
	if (capture->twin) {
		err = cape_copy_to_caller(capture->twin, page->twin ?: ZERO_PAGE(0), 0,
					  PAGE_SIZE);
		if (err)
			return err;
	}
	/* So that cape_captured() needs no memory. */
	if (!(capture->flags & CAPE_CAPTURE_KEEP) &&
	    !cape_charge_block(snapshot, page->address))
		return -ENOMEM;
	return 0;
}

/**
 * cape_captured() - gives up the twin of a page that was captured
 * @process: its lock is held since cape_capture_page()
 * @capture: what that gave, and the caller knows
 */
void cape_captured(struct cape_process *process, const struct cape_capture *capture)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);

	if (capture->twin_state == CAPE_TWIN_NONE || capture->flags & CAPE_CAPTURE_KEEP)
		return;
	cape_open_page(snapshot, cape_find_block(snapshot, capture->address),
		       cape_page_index(capture->address));
	process->statistics.pages_captured++;
}

/* Read the twin of a page, which cape_captured() then unlocks: see struct cape_capture. */
int cape_capture_page(struct cape_process *process, struct cape_capture *capture)
{
	struct cape_snapshot *snapshot = snapshot_of_page(process, capture->address);
	u64 address = capture->address & PAGE_MASK;
	struct search *search;
	int err;

	if (IS_ERR(snapshot))
		return PTR_ERR(snapshot);
	search = new_search(1);
	if (!search)
		return -ENOMEM;
	search->snapshot = snapshot;
	search->cursor = address;
	err = find_pages(process, search, address + PAGE_SIZE);
	if (err)
		goto out;
	capture->twin_state = CAPE_TWIN_NONE;
	if (search->count)
		err = deliver_capture(snapshot, &search->pages[0], capture);
	if (!err)
		trace_cape_capture(process->pid, capture);
out:
	free_search(search);
	return err;
}

/* Notes that a page is to be unlocked, so that cape_collected() needs no memory. */
static int unlock_later(struct cape_snapshot *snapshot, unsigned long address)
{
	struct cape_block *block = cape_charge_block(snapshot, address);

	if (!block)
		return -ENOMEM;
	__set_bit(cape_page_index(address), block->unlocking);
	xa_set_mark(&snapshot->blocks, address >> PMD_SHIFT, CAPE_UNLOCKING);
	return 0;
}

static u32 twin_state(const struct cape_snapshot *snapshot, const struct dirty_page *page)
{
	if (snapshot->no_twins)
		return CAPE_TWIN_NONE;
	return page->twin || page->file || page->poisoned ? CAPE_TWIN_PAGE : CAPE_TWIN_ZERO;
}

/* Returns 1 if the page does not fit any more. */
static int deliver_page(struct cape_snapshot *snapshot, struct dirty_page *page,
			struct cape_collect *collect)
{
	int err = is_probe(page);
	struct cape_dirty dirty = {
		.address = page->address,
		.twin_state = twin_state(snapshot, page),
		.flags = (page->pinned ? CAPE_DIRTY_PINNED : 0) |
			 (page->awaited ? CAPE_DIRTY_AWAITED : 0),
	};
	bool has_bytes = collect->twins && dirty.twin_state == CAPE_TWIN_PAGE;
	u64 entry = collect->pages + collect->page_count * sizeof(dirty);
	u64 bytes = collect->twins + collect->twin_count * PAGE_SIZE;

	if (err)
		return min(err, 0);
	if (has_bytes) {
		if (collect->twin_count == collect->twin_capacity)
			return 1;
		err = make_twin(page) ?: cape_copy_to_caller(bytes, page->twin, 0, PAGE_SIZE);
		if (err)
			return err;
	}
	if (copy_to_user(u64_to_user_ptr(entry), &dirty, sizeof(dirty)))
		return -EFAULT;
	if (collect->flags & CAPE_COLLECT_UNLOCK) {
		err = unlock_later(snapshot, page->address);
		if (err)
			return err;
	}
	collect->page_count++;
	collect->twin_count += has_bytes;
	return 0;
}

/* Hands over what was found.  Returns 1 if collect->cursor now is where the caller has to go on. */
static int deliver_pages(struct search *search, struct cape_collect *collect)
{
	u32 i;
	int err;

	for (i = 0; i < search->count; i++) {
		err = deliver_page(search->snapshot, &search->pages[i], collect);
		if (err) {
			collect->cursor = search->pages[i].address;
			return err;
		}
	}
	collect->cursor = search->cursor;
	return 0;
}

static int collect_pages(struct cape_process *process, struct search *search,
			 struct cape_collect *collect)
{
	int err = 0;

	while (!err && collect->cursor != CAPE_CURSOR_END &&
	       collect->page_count < collect->page_capacity) {
		search->capacity = min_t(u32, CAPE_PAGES_PER_BLOCK,
					 collect->page_capacity - collect->page_count);
		search->cursor = collect->cursor;
		err = find_pages(process, search, CAPE_CURSOR_END);
		if (!err)
			err = deliver_pages(search, collect);
		forget_pages(search);
	}
	/* What was handed over counts; the caller meets the error again at the cursor. */
	return err < 0 && !collect->page_count ? err : 0;
}

/**
 * cape_collected() - unlocks the pages that were collected to be unlocked
 * @process: its lock is held since cape_collect()
 * @told: the caller knows of them; or else they stay locked
 */
void cape_collected(struct cape_process *process, bool told)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	struct cape_block *block;
	unsigned long number;
	unsigned int index;

	xa_for_each_marked(&snapshot->blocks, number, block, CAPE_UNLOCKING) {
		xa_clear_mark(&snapshot->blocks, number, CAPE_UNLOCKING);
		if (told)
			for_each_set_bit(index, block->unlocking, CAPE_PAGES_PER_BLOCK)
				cape_open_page(snapshot, block, index);
		bitmap_zero(block->unlocking, CAPE_PAGES_PER_BLOCK);
		cond_resched();
	}
}

/* Written pages that are still locked, for cape_collected() to unlock: see struct cape_collect. */
int cape_collect(struct cape_process *process, struct cape_collect *collect)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	u64 begin = ktime_get_ns();
	struct search *search;
	int err;

	if (!snapshot)
		return -ENODATA;
	if (snapshot->no_twins && collect->twins)
		return -EOPNOTSUPP;
	search = new_search(collect->page_capacity);
	if (!search)
		return -ENOMEM;
	search->snapshot = snapshot;
	collect->page_count = 0;
	collect->twin_count = 0;
	err = collect_pages(process, search, collect);
	free_search(search);
	process->statistics.pages_collected += collect->page_count;
	process->statistics.collect_ns += ktime_get_ns() - begin;
	trace_cape_collect(process->pid, collect, err);
	return err;
}

/* Gives the pages that were found their twins, which are files' or all zero. */
static int keep_twins(struct search *search)
{
	u32 i;
	int err;

	for (i = 0; i < search->count; i++) {
		struct dirty_page *page = &search->pages[i];

		/* What its bytes would be nobody knows. */
		if (page->awaited)
			continue;
		err = make_twin(page);
		if (err)
			return err;
		if (!page->twin)
			page->twin = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!page->twin)
			return -ENOMEM;
		err = cape_add_twin(search->snapshot, page->address, page->twin);
		if (err)
			return err;
		page->twin = NULL;
	}
	return 0;
}

/**
 * cape_make_twins() - gives every page that was written and has no twin of its own one, but for
 *	what userfaultfd has provided
 * @process: its lock is held, and it is locked
 *
 * Return: 0, or why that cannot be: no memory, or a file that cannot be read.
 */
int cape_make_twins(struct cape_process *process)
{
	struct search *search = new_search(CAPE_PAGES_PER_BLOCK);
	int err = 0;

	if (!search)
		return -ENOMEM;
	search->snapshot = cape_locked_snapshot(process);
	search->twinless = true;
	while (!err && search->cursor != CAPE_CURSOR_END) {
		err = find_pages(process, search, CAPE_CURSOR_END);
		if (!err)
			err = keep_twins(search);
		forget_pages(search);
	}
	free_search(search);
	return err;
}

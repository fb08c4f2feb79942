// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walking over the memory of a process that is covered: private mappings of nothing or of files.
 *
 * All of it runs under mmap_write_lock.  That, and cape_stop_faults(), is what makes the page
 * tables stand still but for reclaim and migration, which replace a page by an entry that is not
 * present.  Nothing is swapped in here: when memory is short, the kernel would kill the process to
 * get some, which could not end before the lock is let go of.  See bring.c.
 *
 * To read-lock is not enough even to look: page tables may be freed then (MADV_DONTNEED since Linux
 * 6.14), and huge pages be made, between finding a page table and apply_to_page_range(), which
 * warns of the one and makes up for the other.
 */
#include <linux/mm.h>
#include <linux/pgtable.h>
#include "compat.h"
#include "driver.h"

static int visit_mapping(struct vm_area_struct *vma, unsigned long start, unsigned long end,
			 const struct cape_visitor *visitor)
{
	/* Without an anon_vma no fault brings a page of the process's own: it needs mmap_lock. */
	if (vma->anon_vma)
		cape_stop_faults(vma);
	while ((start = visitor->next(vma, start, end, visitor->data)) < end) {
		unsigned long stop = pmd_addr_end(start, end);
		int err = visitor->visit(vma, start, stop, visitor->data);

		if (err)
			return err;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		start = stop;
	}
	return 0;
}

static int visit_range(struct mm_struct *mm, unsigned long start, unsigned long end,
		       const struct cape_visitor *visitor)
{
	VMA_ITERATOR(at, mm, start);
	struct vm_area_struct *vma;
	int err;

	for_each_vma_range(at, vma, end) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		if (!cape_is_covered(vma) && !visitor->everywhere)
			continue;
		err = visit_mapping(vma, max(start, vma->vm_start), min(end, vma->vm_end), visitor);
		if (err)
			return err;
	}
	return 0;
}

/**
 * cape_visit_parts() - visit the covered memory in the ranges of a snapshot, in ascending order
 * @mm: the memory, write-locked
 * @snapshot: has the ranges
 * @from: address to begin at, page aligned
 * @until: address to end before, page aligned
 * @visitor: who is to see which parts
 *
 * Return: 0, what @visitor returned, or -EINTR.
 */
int cape_visit_parts(struct mm_struct *mm, const struct cape_snapshot *snapshot,
		     unsigned long from, unsigned long until, const struct cape_visitor *visitor)
{
	u32 i;

	lockdep_assert_held_write(&mm->mmap_lock);
	for (i = cape_first_range(snapshot, from); i < snapshot->range_count; i++) {
		const struct cape_extent *range = &snapshot->ranges[i];
		unsigned long start = max_t(unsigned long, from, range->start);
		unsigned long end = min_t(unsigned long, until, range->start + range->length);
		int err;

		if (start >= end)
			break;
		err = visit_range(mm, start, end, visitor);
		if (err)
			return err;
	}
	return 0;
}

static pmd_t *find_pmd(struct mm_struct *mm, unsigned long address)
{
	pgd_t *pgd = pgd_offset(mm, address);
	p4d_t *p4d;
	pud_t *pud;

	if (pgd_none(*pgd) || pgd_bad(*pgd))
		return NULL;
	p4d = p4d_offset(pgd, address);
	if (p4d_none(*p4d) || p4d_bad(*p4d))
		return NULL;
	pud = pud_offset(p4d, address);
	if (pud_none(*pud) || pud_bad(*pud))
		return NULL;
	return pmd_offset(pud, address);
}

/* As cape_next_page_table(), of a part that is under one entry @pud. */
static unsigned long next_in_pud(pud_t *pud, unsigned long start, unsigned long end)
{
	pmd_t *pmd;

	if (pud_none(*pud) || pud_bad(*pud))
		return end;
	for (pmd = pmd_offset(pud, start); start < end && pmd_none(READ_ONCE(*pmd)); pmd++)
		start = pmd_addr_end(start, end);
	return start;
}

/* The same under one entry @p4d. */
static unsigned long next_in_p4d(p4d_t *p4d, unsigned long start, unsigned long end)
{
	unsigned long next, stop;
	pud_t *pud;

	if (p4d_none(*p4d) || p4d_bad(*p4d))
		return end;
	for (pud = pud_offset(p4d, start); start < end; pud++, start = stop) {
		stop = pud_addr_end(start, end);
		next = next_in_pud(pud, start, stop);
		if (next < stop)
			return next;
	}
	return end;
}

/* The same under one entry @pgd. */
static unsigned long next_in_pgd(pgd_t *pgd, unsigned long start, unsigned long end)
{
	unsigned long next, stop;
	p4d_t *p4d;

	if (pgd_none(*pgd) || pgd_bad(*pgd))
		return end;
	for (p4d = p4d_offset(pgd, start); start < end; p4d++, start = stop) {
		stop = p4d_addr_end(start, end);
		next = next_in_p4d(p4d, start, stop);
		if (next < stop)
			return next;
	}
	return end;
}

/**
 * cape_next_page_table() - the next part in which a VMA may have pages of the process's own
 * @vma: the mapping, with faults stopped
 * @start: address in it to begin at
 * @end: address in it to end before
 *
 * Takes time for what there is, not for the holes in between.
 *
 * Return: the first address from @start on that has a page table or a huge page, or @end.
 */
unsigned long cape_next_page_table(struct vm_area_struct *vma, unsigned long start,
				   unsigned long end)
{
	unsigned long next, stop;

	/* Without an anon_vma it has no anonymous pages. */
	if (!vma->anon_vma)
		return end;
	for (; start < end; start = stop) {
		stop = pgd_addr_end(start, end);
		next = next_in_pgd(pgd_offset(vma->vm_mm, start), start, stop);
		if (next < stop)
			return next;
	}
	return end;
}

/* Neither empty nor a page table: a huge page, or one that is being migrated. */
static bool is_huge(pmd_t *pmd)
{
	pmd_t value = READ_ONCE(*pmd);

	return !pmd_none(value) && (!pmd_present(value) || pmd_leaf(value));
}

/*
 * Makes sure that a page table is at @address: apply_to_page_range() would make one.
 * Return: 1 if there is, 0 if nothing of interest is mapped there, or an error.
 */
static int split_huge_page_table(struct vm_area_struct *vma, unsigned long address)
{
	long got;
	int tries;

	for (tries = 0; tries < CAPE_TRIES; tries++) {
		pmd_t *pmd = find_pmd(vma->vm_mm, address);

		if (!pmd || pmd_none(READ_ONCE(*pmd)))
			return 0;
		if (!is_huge(pmd))
			return pmd_bad(READ_ONCE(*pmd)) ? 0 : 1;
		/* A huge page of a private mapping of a file is the file's: nobody wrote to it. */
		if (!vma_is_anonymous(vma))
			return 0;
		got = cape_get_user_pages(vma->vm_mm, address, 1, FOLL_FORCE | FOLL_SPLIT_PMD,
					  NULL);
		if (got < 0)
			return got;
	}
	return -EAGAIN;
}

/* As split_huge_page_table(), for a mapping that may have no pages of the process's own. */
static int has_page_table(struct vm_area_struct *vma, unsigned long address)
{
	/* Page tables of mappings without an anon_vma may be freed at any time. */
	return vma->anon_vma ? split_huge_page_table(vma, address) : 0;
}

/* Has reclaim, or migration, left that of a page? */
static bool is_absent(pte_t pte)
{
	return !pte_present(pte) && !pte_none(pte) && !cape_is_marker(pte) &&
	       !cape_is_poisoned(pte);
}

/* One pass over a part. */
struct pass {
	pte_fn_t fn;
	void *data;
	unsigned long *poisoned;
};

/* A marker is what userfaultfd leaves where there is no page. */
static int look_at_entry(pte_t *ptep, unsigned long address, void *data)
{
	struct pass *pass = data;
	pte_t pte = ptep_get(ptep);

	if (pte_present(pte))
		return pass->fn(ptep, address, pass->data);
	if (cape_is_poisoned(pte))
		__set_bit(cape_page_index(address), pass->poisoned);
	return is_absent(pte) ? CAPE_ABSENT : 0;
}

/**
 * cape_walk_pages() - look at the pages of a part
 * @vma: the mapping, with faults stopped
 * @start: first address
 * @end: address after the last, under the same page table
 * @pages: which, CAPE_PAGES_PER_BLOCK bits, all of them in the part; NULL for all of it
 * @fn: called with the page table lock held for every entry of a page that is present
 * @data: for @fn
 * @poisoned: CAPE_PAGES_PER_BLOCK bits.  Set on return: pages that memory failure has taken
 *
 * Return: 0, CAPE_ABSENT if there is a page that has to be brought back first (cape_bring_back()),
 * what @fn returned, or why a huge page cannot be split.
 */
int cape_walk_pages(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		    const unsigned long *pages, pte_fn_t fn, void *data, unsigned long *poisoned)
{
	struct pass pass = { .fn = fn, .data = data, .poisoned = poisoned };
	int err;

	bitmap_zero(poisoned, CAPE_PAGES_PER_BLOCK);
	err = split_huge_page_table(vma, start);
	if (err <= 0)
		return err;
	/* apply_to_existing_page_range() ends at the first empty entry before 6.12.25. */
	if (pages)
		return cape_look_at_pages(vma, start, pages, look_at_entry, &pass);
	return apply_to_page_range(vma->vm_mm, start, end - start, look_at_entry, &pass);
}

/* Does the entry map @twin, or, if that is NULL, nothing of the process's own? */
static bool is_unchanged(struct vm_area_struct *vma, pte_t pte, struct page *twin)
{
	struct page *page;

	if (pte_present(pte))
		return twin ? pte_pfn(pte) == page_to_pfn(twin) : !cape_own_page(vma, pte);
	if (!is_absent(pte))
		return !twin && !cape_is_poisoned(pte);
	page = cape_moving_page(pte);
	if (page)
		return twin ? page == twin : !PageAnon(page);
	return twin && cape_is_swapped(pte, twin);
}

/* As cape_find_changed(); @absent: only those that reclaim or migration have taken. */
static int find_changed(struct vm_area_struct *vma, unsigned long start, unsigned long end,
			struct page *const *twins, bool absent, unsigned long *changed)
{
	unsigned int index = cape_page_index(start);
	unsigned int stop = index + ((end - start) >> PAGE_SHIFT);
	spinlock_t *lock; /* of the page table */
	pte_t *entry;
	pmd_t *pmd;
	int there;

	bitmap_zero(changed, CAPE_PAGES_PER_BLOCK);
	there = has_page_table(vma, start);
	if (there < 0)
		return there;
	if (!there) {
		for (; index < stop && !absent; index++)
			if (twins && twins[index])
				__set_bit(index, changed);
		return 0;
	}
	pmd = find_pmd(vma->vm_mm, start);
	entry = pte_offset_kernel(pmd, start);
	lock = pte_lockptr(vma->vm_mm, pmd);
	spin_lock(lock);
	for (; index < stop; index++, entry++) {
		pte_t pte = ptep_get(entry);

		if (!is_unchanged(vma, pte, twins ? twins[index] : NULL) &&
		    (!absent || is_absent(pte)))
			__set_bit(index, changed);
	}
	spin_unlock(lock);
	return 0;
}

/**
 * cape_find_changed() - which pages of a part are not those of then?
 * @vma: the mapping, with faults stopped
 * @start: first address
 * @end: address after the last, under the same page table
 * @twins: by cape_page_index(): the page of then, or NULL if there was none of the process's own;
 *	NULL if there were none at all
 * @changed: CAPE_PAGES_PER_BLOCK bits.  Set on return: pages that are others, or are gone.  What
 *	was swapped out is not, if it was the page of then
 *
 * Quick where little has changed, as it is called for all memory: so it looks for itself.
 *
 * Return: 0, -EAGAIN if huge pages come faster than they are split, or why one cannot be split.
 */
int cape_find_changed(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		      struct page *const *twins, unsigned long *changed)
{
	return find_changed(vma, start, end, twins, false, changed);
}

/* As cape_find_changed(), of those that are others only those that reclaim or migration has. */
int cape_find_absent(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		     struct page *const *twins, unsigned long *absent)
{
	return find_changed(vma, start, end, twins, true, absent);
}

/**
 * cape_look_at_pages() - look at certain entries of a part
 * @vma: the mapping, with faults stopped
 * @address: an address of it in the part
 * @pages: which, CAPE_PAGES_PER_BLOCK bits, all of them in @vma
 * @fn: called with the page table lock held for each of them, be it present or not, unless there
 *	is no page table; ends the look by returning something else than 0
 * @data: for @fn
 *
 * Return: 0, what @fn returned, or as cape_find_changed().
 */
int cape_look_at_pages(struct vm_area_struct *vma, unsigned long address,
		       const unsigned long *pages, pte_fn_t fn, void *data)
{
	unsigned long block = ALIGN_DOWN(address, PMD_SIZE);
	unsigned int index;
	spinlock_t *lock; /* of the page table */
	pte_t *entry;
	pmd_t *pmd;
	int there, err;

	there = has_page_table(vma, address);
	if (there <= 0)
		return there;
	pmd = find_pmd(vma->vm_mm, address);
	entry = pte_offset_kernel(pmd, block);
	lock = pte_lockptr(vma->vm_mm, pmd);
	for_each_set_bit(index, pages, CAPE_PAGES_PER_BLOCK) {
		spin_lock(lock);
		err = fn(entry + index, block + index * PAGE_SIZE, data);
		spin_unlock(lock);
		if (err)
			return err;
	}
	return 0;
}

/* The page that a present entry maps, or NULL if it is a special one, such as the zero page. */
struct page *cape_pte_page(pte_t pte)
{
	if (pte_special(pte) || cape_is_device_memory(pte) || !pfn_valid(pte_pfn(pte)))
		return NULL;
	return pte_page(pte);
}

/**
 * cape_own_page() - the page of the process's own that an entry maps
 * @vma: the mapping
 * @pte: a present entry of it
 *
 * Return: an anonymous page, or the zero page where it stands for what the process has in place of
 * a file's page (UFFDIO_ZEROPAGE, the merging of pages); NULL if the page is not the process's own.
 */
struct page *cape_own_page(struct vm_area_struct *vma, pte_t pte)
{
	struct page *page = cape_pte_page(pte);

	if (is_zero_pfn(pte_pfn(pte)))
		return vma_is_anonymous(vma) ? NULL : ZERO_PAGE(0);
	return page && PageAnon(page) ? page : NULL;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which mappings are covered, and what was mapped where when the image was locked.
 *
 * Pages without a twin of their own have the file that was mapped there as their twin, or are all
 * zero: so when something else is mapped there now, they have changed, whatever the page table
 * says.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/userfaultfd_k.h>
#include "driver.h"

/* Mappings that are not the process's own, or not made of ordinary pages. */
#define CAPE_NOT_COVERED \
	(VM_SHARED | VM_MAYSHARE | VM_IO | VM_PFNMAP | VM_MIXEDMAP | VM_HUGETLB)

/* Is it private memory, of nothing or of a file? */
bool cape_is_covered(struct vm_area_struct *vma)
{
	if (vma->vm_flags & CAPE_NOT_COVERED)
		return false;
	if (vma_is_anonymous(vma))
		return true;
	/* The twin of a page of a file is read from the file: reading a device would be an act. */
	return vma->vm_file && S_ISREG(file_inode(vma->vm_file)->i_mode);
}

/* All that there is to record of a mapping, but for the reference to its file. */
static struct cape_mapping describe(struct vm_area_struct *vma)
{
	struct cape_mapping mapping = {
		.start = vma->vm_start,
		.end = vma->vm_end,
		.awaited = userfaultfd_missing(vma),
	};

	if (!vma_is_anonymous(vma)) {
		mapping.file = vma->vm_file;
		mapping.offset = vma->vm_pgoff;
	}
	return mapping;
}

/* Mappings that are recorded, or compared with others that were. */
struct recording {
	struct cape_mappings *mappings;
	u32 count;
	bool differs;
};

static void add_mapping(struct vm_area_struct *vma, struct recording *recording)
{
	struct cape_mapping *mapping = &recording->mappings->mapping[recording->mappings->count++];

	*mapping = describe(vma);
	if (mapping->file)
		get_file(mapping->file);
}

static void compare_mapping(struct vm_area_struct *vma, struct recording *recording)
{
	const struct cape_mapping *before = &recording->mappings->mapping[recording->count];
	const struct cape_mapping now = describe(vma);

	recording->differs |= recording->count++ >= recording->mappings->count ||
			      before->start != now.start || before->end != now.end ||
			      before->file != now.file || before->offset != now.offset ||
			      before->awaited != now.awaited;
}

/* Calls @fn for what is covered in a range, until something differs.  Returns where to go on. */
static unsigned long see_range(struct mm_struct *mm, unsigned long start, unsigned long end,
			       void (*fn)(struct vm_area_struct *vma, struct recording *recording),
			       struct recording *recording)
{
	VMA_ITERATOR(at, mm, start);
	struct vm_area_struct *vma;

	for_each_vma_range(at, vma, end) {
		if (cape_is_covered(vma))
			fn(vma, recording);
		if (recording->differs)
			break;
		start = vma->vm_end;
	}
	return start;
}

/* Calls @fn for every covered mapping in the ranges, until something differs. */
static void see_mappings(struct mm_struct *mm, const struct cape_snapshot *snapshot,
			 void (*fn)(struct vm_area_struct *vma, struct recording *recording),
			 struct recording *recording)
{
	unsigned long done = 0;
	u32 i;

	for (i = 0; i < snapshot->range_count && !recording->differs; i++) {
		/* Several ranges may lie in one mapping. */
		unsigned long start = max_t(unsigned long, snapshot->ranges[i].start, done);
		unsigned long end = snapshot->ranges[i].start + snapshot->ranges[i].length;

		if (start < end)
			done = see_range(mm, start, end, fn, recording);
		cond_resched();
	}
}

/**
 * cape_record_mappings() - takes note of what is mapped in the ranges of a snapshot
 * @mm: the memory, write-locked
 * @snapshot: has the ranges
 * @mappings: what is filled in
 *
 * Return: 0, or -ENOMEM.  cape_forget_mappings() is to be called in either case.
 */
int cape_record_mappings(struct mm_struct *mm, const struct cape_snapshot *snapshot,
			 struct cape_mappings *mappings)
{
	struct recording recording = { .mappings = mappings };

	mappings->mapping = kvmalloc_array(mm->map_count, sizeof(*mappings->mapping),
					   GFP_KERNEL_ACCOUNT);
	if (!mappings->mapping)
		return -ENOMEM;
	see_mappings(mm, snapshot, add_mapping, &recording);
	return 0;
}

/**
 * cape_share_mappings() - keeps mappings once that are the same at the beginning of two epochs
 * @mm: the memory, write-locked
 * @snapshot: has the ranges, and the mappings of the epoch before
 * @mappings: those of the next, empty
 *
 * The lock of the process, which is held, also guards how many share them.
 *
 * Return: false if they are others now, or without memory.
 */
bool cape_share_mappings(struct mm_struct *mm, struct cape_snapshot *snapshot,
			 struct cape_mappings *mappings)
{
	struct cape_mappings *before = &snapshot->mappings;
	struct recording recording = { .mappings = before };

	see_mappings(mm, snapshot, compare_mapping, &recording);
	if (recording.differs || recording.count != before->count)
		return false;
	if (!before->users) {
		before->users = kmalloc(sizeof(*before->users), GFP_KERNEL_ACCOUNT);
		if (!before->users)
			return false;
		*before->users = 1;
	}
	*mappings = *before;
	++*mappings->users;
	return true;
}

void cape_forget_mappings(struct cape_mappings *mappings)
{
	if (mappings->users && --*mappings->users) {
		*mappings = (struct cape_mappings){};
		return;
	}
	kfree(mappings->users);
	mappings->users = NULL;
	while (mappings->count) {
		struct cape_mapping *mapping = &mappings->mapping[--mappings->count];

		if (mapping->file)
			fput(mapping->file);
	}
	kvfree(mappings->mapping);
	mappings->mapping = NULL;
}

/* The first that ends after @address; one past the last if there is none. */
static const struct cape_mapping *first_mapping(const struct cape_mappings *mappings,
						unsigned long address)
{
	u32 low = 0, high = mappings->count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (mappings->mapping[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return &mappings->mapping[low];
}

/* The first covered mapping of then that ends after @address, or NULL. */
const struct cape_mapping *cape_next_mapping(const struct cape_mappings *mappings,
					     unsigned long address)
{
	const struct cape_mapping *mapping = first_mapping(mappings, address);

	return mapping < mappings->mapping + mappings->count ? mapping : NULL;
}

/* What was mapped at @address when the image was locked; NULL if nothing that is covered. */
const struct cape_mapping *cape_find_mapping(const struct cape_mappings *mappings,
					     unsigned long address)
{
	const struct cape_mapping *mapping = cape_next_mapping(mappings, address);

	return mapping && address >= mapping->start ? mapping : NULL;
}

/* Where the page of @address lies in the file of @mapping. */
loff_t cape_file_offset(const struct cape_mapping *mapping, unsigned long address)
{
	return ((loff_t)mapping->offset << PAGE_SHIFT) + ((address & PAGE_MASK) - mapping->start);
}

/**
 * cape_is_awaited() - was there nothing but what userfaultfd had yet to provide?
 * @mapping: of then
 * @address: in it, of a page that was not the process's own then
 *
 * Of a file (in memory) only the holes are asked for.  What has been swapped out counts as one, for
 * it does not show: better no bytes than wrong ones.
 */
bool cape_is_awaited(const struct cape_mapping *mapping, unsigned long address)
{
	loff_t offset = cape_file_offset(mapping, address);

	if (!mapping->awaited || !mapping->file)
		return mapping->awaited;
	return !filemap_range_has_page(mapping->file->f_mapping, offset, offset + PAGE_SIZE - 1);
}

/* Has @vma the bytes that @mapping had at the same addresses?  Not if others may write to it. */
static bool is_same(const struct cape_mapping *mapping, struct vm_area_struct *vma)
{
	if (!cape_is_covered(vma))
		return false;
	if (!mapping->file || vma_is_anonymous(vma))
		return !mapping->file && vma_is_anonymous(vma);
	return file_inode(mapping->file) == file_inode(vma->vm_file) &&
	       mapping->offset - (mapping->start >> PAGE_SHIFT) ==
	       vma->vm_pgoff - (vma->vm_start >> PAGE_SHIFT);
}

/**
 * cape_find_remapped() - where was something else mapped when the image was locked?
 * @mappings: of then
 * @vma: what is mapped now
 * @start: address in it to begin at
 * @end: address in it to end before
 *
 * Return: the first such mapping of then, or NULL.
 */
const struct cape_mapping *cape_find_remapped(const struct cape_mappings *mappings,
					      struct vm_area_struct *vma, unsigned long start,
					      unsigned long end)
{
	const struct cape_mapping *mapping = first_mapping(mappings, start);
	const struct cape_mapping *last = mappings->mapping + mappings->count;

	for (; mapping < last && mapping->start < end; mapping++)
		if (!is_same(mapping, vma))
			return mapping;
	return NULL;
}

/* Is all of @mapping between @start and @end as it was?  Else @lost is where it is not. */
static bool is_mapped(struct mm_struct *mm, const struct cape_mapping *mapping,
		      unsigned long start, unsigned long end, unsigned long *lost)
{
	while (start < end) {
		struct vm_area_struct *vma = find_vma(mm, start);

		if (!vma || vma->vm_start > start || !is_same(mapping, vma)) {
			*lost = start;
			return false;
		}
		start = vma->vm_end;
	}
	return true;
}

/* How much of [@start, @end) is mapped now and covered. */
static u64 covered_bytes(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	VMA_ITERATOR(at, mm, start);
	struct vm_area_struct *vma;
	u64 sum = 0;

	for_each_vma_range(at, vma, end)
		if (cape_is_covered(vma))
			sum += min(end, vma->vm_end) - max(start, vma->vm_start);
	return sum;
}

/**
 * cape_still_mapped() - is everything mapped that was when the image was locked?
 * @mm: the memory, write-locked
 * @snapshot: the locked image
 * @lost: set if not: the first address where something else is, or nothing
 * @new_bytes: set if so: how much more is mapped in its ranges now
 */
bool cape_still_mapped(struct mm_struct *mm, const struct cape_snapshot *snapshot,
		       unsigned long *lost, u64 *new_bytes)
{
	const struct cape_mappings *mappings = &snapshot->mappings;
	u32 i;

	*new_bytes = 0;
	for (i = 0; i < snapshot->range_count; i++) {
		unsigned long start = snapshot->ranges[i].start;
		unsigned long end = start + snapshot->ranges[i].length;
		const struct cape_mapping *mapping = first_mapping(mappings, start);
		const struct cape_mapping *last = mappings->mapping + mappings->count;

		*new_bytes += covered_bytes(mm, start, end);
		for (; mapping < last && mapping->start < end; mapping++) {
			unsigned long from = max(start, mapping->start);
			unsigned long until = min(end, mapping->end);

			if (!is_mapped(mm, mapping, from, until, lost))
				return false;
			*new_bytes -= until - from;
		}
		cond_resched();
	}
	return true;
}

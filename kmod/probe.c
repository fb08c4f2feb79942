// SPDX-License-Identifier: GPL-2.0-only
/*
 * Breakpoints that the kernel puts into the text of a process (uprobes), and takes away again: they
 * are no writes of the process's, and must not come back by a rollback, as nobody waits for them.
 *
 * A module cannot ask where there are some.  So a page of text that is otherwise than its twin in
 * nothing but such instructions counts as not written, if there has been any in the process.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/page-flags.h>
#include <linux/uprobes.h>
#include "compat.h"
#include "driver.h"

/**
 * cape_may_be_probed() - may the kernel have changed pages of a mapping by itself?
 * @snapshot: the locked image
 * @vma: the mapping
 *
 * As valid_vma() of the kernel has it.
 */
bool cape_may_be_probed(const struct cape_snapshot *snapshot, struct vm_area_struct *vma)
{
	if (!vma->vm_file ||
	    (vma->vm_flags & (VM_WRITE | VM_MAYEXEC | VM_MAYSHARE)) != VM_MAYEXEC)
		return false;
	return snapshot->probed || cape_has_probes(vma->vm_mm);
}

/* Are two pages the same but for instructions of probes?  With no spinlock held. */
bool cape_differ_by_probes(struct page *one, struct page *other)
{
	const u8 *first, *second;
	unsigned int i;

	if (PageHWPoison(one) || PageHWPoison(other))
		return false;
	first = kmap_local_page(one);
	second = kmap_local_page(other);
	for (i = 0; i < PAGE_SIZE; i++)
		if (first[i] != second[i] && first[i] != UPROBE_SWBP_INSN &&
		    second[i] != UPROBE_SWBP_INSN)
			break;
	kunmap_local(second);
	kunmap_local(first);
	return i == PAGE_SIZE;
}

/**
 * cape_get_text() - the page that is mapped at an address, in a mapping that may be probed
 * @vma: the mapping, with faults stopped
 * @address: of the page
 *
 * Return: the page, with a reference, or NULL if there is none that can be looked at.
 */
struct page *cape_get_text(struct vm_area_struct *vma, unsigned long address)
{
	struct page *page;

	if (cape_get_user_pages(vma->vm_mm, address, 1, FOLL_FORCE, &page) != 1)
		return NULL;
	return page;
}

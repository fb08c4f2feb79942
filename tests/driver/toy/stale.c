// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stale.c - /dev/stale, which makes a page of its caller's read-only and leaves the translations
 * that processors have of it as they are.
 *
 * So it is when reclaim has unmapped a page and postponed the flush, and the page is mapped again
 * by a read.  An ioctl has an address of the page as its argument.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pgtable.h>
#include <linux/sched.h>

static int make_read_only(pte_t *ptep, unsigned long address, void *unused)
{
	if (!pte_present(ptep_get(ptep)))
		return -EFAULT;
	ptep_set_wrprotect(current->mm, address, ptep);
	return 0;
}

static long stale_ioctl(struct file *file, unsigned int command, unsigned long address)
{
	struct mm_struct *mm = current->mm;
	int err = -EFAULT;

	if (mmap_write_lock_killable(mm))
		return -EINTR;
	if (find_vma(mm, address))
		err = apply_to_page_range(mm, address & PAGE_MASK, PAGE_SIZE, make_read_only, NULL);
	mmap_write_unlock(mm);
	return err;
}

static const struct file_operations stale_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = stale_ioctl,
};

static struct miscdevice stale = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "stale",
	.fops = &stale_fops,
};

module_misc_device(stale);
MODULE_DESCRIPTION("Makes a page read-only without a flush, for tests");
MODULE_LICENSE("GPL");
